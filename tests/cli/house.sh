# The law of arrows holds, no folder is crowded, and the picture and the list of rooms in docs/architecture.md are of this tree.
python3 -B "$ORDO_SOURCE/docs/house.py" --check > floors
grep -q ' base ' floors
