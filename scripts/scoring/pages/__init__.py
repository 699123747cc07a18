"""What the scorers of pages share: reading with the product and with peers, and judging what came out."""
