"""Flows: the plan of a job as a generator of steps, without I/O; a driver performs the steps."""
