"""The files of a message within a token budget: whole where they fit, else the passages that fit the question (O-5)."""

from collections.abc import Sequence

from batuta.agents.documents.library import owner_of
from batuta.conversations.tokens import CHARS_PER_TOKEN, estimate_text
from batuta.knowledge.document import DocumentText
from batuta.knowledge.index import DocumentEntry, PassageIndex, SearchScope
from batuta.knowledge.retrieve import Retriever
from batuta.knowledge.synonyms import others_for
from batuta.orchestration.attached import AttachedContext, FileExcerpt, shared_budget

LEAST_TOKENS = 40
"""Of a file; where there is no room even for that, its name alone is given."""
GAP = "\n[…]\n"


async def attached_context(
    index: PassageIndex, user_id: str, file_ids: Sequence[str], question: str, *, budget_tokens: int
) -> AttachedContext | None:
    """What the files of a person say about a question; nothing where none of them was read."""
    if not budget_tokens:
        return None
    scope = SearchScope(owners=(owner_of(user_id),), documents=frozenset(file_ids))
    entries = await index.entries(scope)
    read = [(entry, content) for entry in entries if (content := await index.content(entry.document_id, scope))]
    needs = [estimate_text(content.text) for _, content in read]
    excerpts = [
        await _excerpt(index, entry, content, question, share)
        for (entry, content), share in zip(read, shared_budget(needs, budget_tokens), strict=True)
    ]
    return AttachedContext(excerpts=tuple(excerpts), budget_tokens=budget_tokens) if excerpts else None


async def _excerpt(
    index: PassageIndex, entry: DocumentEntry, content: DocumentText, question: str, share: int
) -> FileExcerpt:
    whole = estimate_text(content.text)
    if whole <= share:
        text = content.text
    elif share < LEAST_TOKENS:
        text = ""
    else:
        text = await _parts(index, entry, content, question, share)
    return FileExcerpt(
        file_id=entry.document_id,
        name=entry.name,
        text=text,
        tokens=estimate_text(text),
        is_whole=whole <= share,
    )


async def _parts(index: PassageIndex, entry: DocumentEntry, content: DocumentText, question: str, share: int) -> str:
    """The passages that fit the question best, in the order of the file; its beginning where none does."""
    scope = SearchScope(owners=(entry.owner,), documents=frozenset({entry.document_id}))
    found = await Retriever(index, synonyms=others_for).search(question, scope, limit=20)
    chosen: list[tuple[int, str]] = []
    left = share
    for each in found:
        needed = estimate_text(each.passage.text + GAP)
        if needed <= left:
            chosen.append((each.passage.start, each.passage.text))
            left -= needed
    if chosen:
        return GAP.join(text for _, text in sorted(chosen))
    beginning = content.text[: share * CHARS_PER_TOKEN]
    while estimate_text(beginning) > share:
        beginning = beginning[: len(beginning) * 3 // 4]
    return beginning
