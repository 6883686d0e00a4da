"""How many instances a bot needs: a worker's ladder and a call profile in, a fleet and its scaling policy out."""
