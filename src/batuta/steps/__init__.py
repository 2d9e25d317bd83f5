"""The steps a pipeline is made of. This list of modules is the index of the manual."""
