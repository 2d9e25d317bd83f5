"""Approvals of tool calls. The words are the kernel's: a pipeline asks, too, and needs no tools for it."""

from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest, Approver

__all__ = ["ApprovalDecision", "ApprovalRequest", "Approver"]
