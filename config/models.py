"""Where model files are, and how they get there. (Being built.)"""
