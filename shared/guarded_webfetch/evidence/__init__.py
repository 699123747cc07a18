"""What an answer rests on: links a model never writes, and the gate that asks whether its sources were fetched."""
