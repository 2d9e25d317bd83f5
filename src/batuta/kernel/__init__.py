"""Words everyone uses, and what stands below everything else."""
