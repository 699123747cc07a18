"""A sealed internet: a network namespace with names, certificates and sites of its own, and no way out.

`client.SealedInternet` starts one and runs commands inside; `sites` and `names` say what exists there; README.md has
the table of hosts. Nothing here imports the product, and only the standard library is used.
"""
