"""Topics of a public corpus in English and Spanish, ours beside TF-IDF and a linear SVM. Nothing of it is kept here.

    pip download --no-deps chatterbot-corpus && unzip chatterbot_corpus-*.whl
    python -m bench.intents_public chatterbot_corpus/data path/to/a/python/with/scikit-learn

Its files are topics, the openings of their conversations the sentences: a fourth is asked in turn, the others learnt.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from batuta.language.matching import SentenceClassifier, tokens_of

FOLDS = 4
LEAST_SENTENCES = 8
_OPENING = re.compile(r"^- - (.+)$", re.MULTILINE)
_SVM = """
import json, sys
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
right = 0
for train, test in json.load(sys.stdin):
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC())
    model.fit([text for text, _ in train], [label for _, label in train])
    right += sum(found == label for found, (_, label) in zip(model.predict([text for text, _ in test]), test))
print(right)
"""

Sentences = list[tuple[str, str]]


def sentences_of(folder: Path) -> Sentences:
    """Sentences with their topics, without the smallest topics."""
    found = [
        (text.strip("'\""), path.stem)
        for path in sorted(folder.glob("*.yml"))
        for text in _OPENING.findall(path.read_text(encoding="utf-8"))
    ]
    counts = Counter(label for _, label in dict.fromkeys(found))
    return [(text, label) for text, label in dict.fromkeys(found) if counts[label] >= LEAST_SENTENCES]


def ours(train: Sentences, test: Sentences) -> int:
    """How many sentences get their topic."""
    examples: dict[str, list[list[str]]] = {}
    for text, label in train:
        examples.setdefault(label, []).append(tokens_of(text))
    classifier = SentenceClassifier(examples)
    return sum(classifier.scores(tokens_of(text))[0].label == label for text, label in test)


def main() -> None:
    """Print both shares for each language."""
    for language in ("english", "spanish"):
        sentences = sentences_of(Path(sys.argv[1]) / language)
        folds = [
            ([each for n, each in enumerate(sentences) if n % FOLDS != fold], sentences[fold::FOLDS])
            for fold in range(FOLDS)
        ]
        done = subprocess.run(
            [sys.argv[2], "-c", _SVM], input=json.dumps(folds), capture_output=True, text=True, check=True
        )
        right, total = sum(ours(*fold) for fold in folds), len(sentences)
        topics = len({label for _, label in sentences})
        print(f"{language}: {topics} topics, {total} sentences; batuta {right / total:.3f}, ", end="")
        print(f"TF-IDF and linear SVM {int(done.stdout) / total:.3f}")


if __name__ == "__main__":
    main()
