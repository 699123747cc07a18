"""The trusted process: policy, connections, deadlines, the record. It parses nothing that came from outside but strict JSON."""
