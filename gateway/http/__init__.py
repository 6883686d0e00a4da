"""HTTP as the outside sends it: requests, sockets, and what is taken from them."""
