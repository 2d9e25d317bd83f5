"""Tools: what a model may ask for, checked before it runs, limited while it runs, audited after."""

from batuta.tools.approval import ApprovalDecision, ApprovalRequest, Approver
from batuta.tools.audit import AuditSink, ToolAudit
from batuta.tools.context import ToolContext, ToolUser
from batuta.tools.invocation import CallScope, PreparedCall, ToolInvoker
from batuta.tools.limits import ToolLimits
from batuta.tools.outcome import Execution, Refusal, ToolOutcome
from batuta.tools.policy import RateLimit, ToolPolicy
from batuta.tools.registry import ToolRegistry, ToolSet
from batuta.tools.tool import Tool, tool

__all__ = [
    "ApprovalDecision",
    "ApprovalRequest",
    "Approver",
    "AuditSink",
    "CallScope",
    "Execution",
    "PreparedCall",
    "RateLimit",
    "Refusal",
    "Tool",
    "ToolAudit",
    "ToolContext",
    "ToolInvoker",
    "ToolLimits",
    "ToolOutcome",
    "ToolPolicy",
    "ToolRegistry",
    "ToolSet",
    "ToolUser",
    "tool",
]
