"""Appointments: a pipeline from words to a checked slot, and an agent that books after approval."""

from batuta.agents.appointments.agent import specialist
from batuta.agents.appointments.pipeline import Booking, appointment_pipeline

__all__ = ["Booking", "appointment_pipeline", "specialist"]
