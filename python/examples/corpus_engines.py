"""Removes copies from the documents of an engine, as a step of its pipeline.

python corpus_engines.py datatrove|ray|dask: three documents, one of which holds a sentence of another.

The engine writes its documents to files, all are compared at once, and the engine reads the new files. On a cluster the folder
is one that all workers see.
"""

import dataclasses
import json
import pathlib
import sys
import tempfile

from ordosort import corpus

TEXTS = [
    "All work and no play makes Jack a dull boy.",
    "He wrote: all work and no play makes Jack a dull boy. The end.",
    "Nothing of this is said elsewhere.",
]


# %%
# datatrove: a step between a reader or a filter and a writer, in an executor with tasks=1.
def datatrove_step(**options):
    from datatrove.data import Document, Media
    from datatrove.pipeline.base import PipelineStep

    class ExactCopies(PipelineStep):
        name = "Exact copies"
        type = "DEDUP"

        def run(self, data, rank=0, world_size=1):
            if world_size != 1:
                raise ValueError("the documents of all tasks must be compared: call corpus.deduplicate between two executors")
            with tempfile.TemporaryDirectory() as folder:
                files = pathlib.Path(folder)
                with open(files / "documents.jsonl", "w", encoding="utf-8") as file:
                    for document in data:
                        file.write(json.dumps(dataclasses.asdict(document), ensure_ascii=False) + "\n")
                done = corpus.deduplicate(files / "documents.jsonl", files / "clean", **options)
                self.stat_update("removed_bytes", value=done.removed, unit="task")
                with open(files / "clean" / "documents.jsonl", encoding="utf-8") as file:
                    for line in file:
                        fields = json.loads(line)
                        fields["media"] = [Media(**each) for each in fields["media"]]
                        yield Document(**fields)

    return ExactCopies()


def clean_by_datatrove(folder):
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor

    found = []

    def collect(data, rank, world_size):
        found.extend(document.text for document in data)
        return iter(())

    documents = [Document(text=text, id=str(number)) for number, text in enumerate(TEXTS)]
    LocalPipelineExecutor(
        pipeline=[documents, datatrove_step(min_length=20), collect], tasks=1, logging_dir=f"{folder}/logs"
    ).run()
    return found


# %%
# Ray Data: a data set in, a data set out. Its blocks are written and read by all workers.
def without_copies(dataset, folder, **options):
    import ray

    dataset.write_parquet(f"{folder}/documents")
    corpus.deduplicate(f"{folder}/documents", f"{folder}/clean", **options)
    return ray.data.read_parquet(f"{folder}/clean")


def clean_by_ray(folder):
    import ray

    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    dataset = ray.data.from_items([{"id": number, "text": text} for number, text in enumerate(TEXTS)])
    rows = without_copies(dataset, folder, min_length=20).take_all()
    ray.shutdown()
    return [row["text"] for row in sorted(rows, key=lambda row: row["id"])]


# %%
# Dask: a bag of documents in, a bag out, with the same partitions.
def bag_without_copies(bag, folder, **options):
    import dask.bag

    bag.map(json.dumps).to_textfiles(f"{folder}/documents/*.jsonl")
    corpus.deduplicate(f"{folder}/documents", f"{folder}/clean", **options)
    return dask.bag.read_text(f"{folder}/clean/*.jsonl").map(json.loads)


def clean_by_dask(folder):
    import dask.bag

    bag = dask.bag.from_sequence([{"text": text} for text in TEXTS], npartitions=2)
    return [document["text"] for document in bag_without_copies(bag, folder, min_length=20).compute(scheduler="threads")]


# %%
def main():
    engines = {"datatrove": clean_by_datatrove, "ray": clean_by_ray, "dask": clean_by_dask}
    assert sys.argv[1:2] and sys.argv[1] in engines, f"usage: corpus_engines.py {'|'.join(engines)}"
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(engines[sys.argv[1]](folder)))


if __name__ == "__main__":
    main()
