#!/usr/bin/env bash
# Surveys on a real Slurm of one node (an array of four with one task killed and requeued; a step of four), with
# mpirun -n 4 and with GNU parallel, each compared with one run of all pictures. Not part of ./test: it starts and stops
# munged, slurmctld and slurmd, as root, from Debian's packages slurmctld slurmd slurm-client munge openmpi-bin parallel.
#
#     run.sh SOFTSCOPE MODEL PICTURES
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
export MODEL PICTURES
MODEL=$(realpath "$2")
PICTURES=$(realpath "$3")
source "$scripts/one_node.sh"
source "$scripts/../../cmake/environment.sh"
prefer_openmp_blas
name_the_blas_core
keep_memory_in_huge_pages
spin_briefly

folder=$(mktemp -d)
slurm_processes=()
trap 'stop_slurm; rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
ln -s "$program" "$folder/bin/softscope"
export PATH="$folder/bin:$PATH"
# Open MPI asks for both where it is root's, and has fewer cores than ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# Every number and every picture, in the order of their keys.
content() {
  python3 - "$1" <<'PYTHON'
import hashlib, sqlite3, sys
survey = sqlite3.connect(sys.argv[1])
text = "".join(repr(row) for table in ("picture", "model_value", "layer_value", "head_value")
               for row in survey.execute(f"SELECT * FROM {table} ORDER BY 1, 2"))
print(hashlib.sha256(text.encode()).hexdigest())
PYTHON
}
compare() {
  if [ "$(content "$1")" = "$expected" ]; then echo "$1 equals the single run"; else echo "$1 DIFFERS" >&2; exit 1; fi
}
# How many pictures a survey that is being written has; 0 before there is one.
count() {
  python3 -c 'import sqlite3, sys
print(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute("SELECT count(*) FROM picture").fetchone()[0])' \
    "$1" 2>/dev/null || echo 0
}
# wait_for JOB: until no task of it is left.
wait_for() { while [ -n "$(squeue -h -j "$1" 2>/dev/null)" ]; do sleep 1; done; }

cd "$folder/work"
softscope survey -m "$MODEL" "$PICTURES" -o single.survey
expected=$(content single.survey)

echo "== Slurm: an array of four, task 2 killed and requeued =="
start_slurm "$folder/slurm"
job=$(sbatch --parsable "$scripts/array.sbatch")
while [ "$(count array-2-of-4.survey)" -lt 5 ]; do sleep 0.2; done
scontrol requeue "${job}_2"
echo "task 2 requeued with $(count array-2-of-4.survey) pictures done"
squeue -j "$job"
wait_for "$job"
cat survey-*.log
softscope merge array-*-of-4.survey -o array.survey
compare array.survey

echo "== Slurm: a step of four =="
wait_for "$(sbatch --parsable "$scripts/step.sbatch")"
cat step-*.log
compare step.survey
stop_slurm
slurm_processes=()
unset SLURM_CONF

echo "== mpirun -n 4 =="
bash "$scripts/ranks.sh"
compare ranks.survey

echo "== GNU parallel =="
bash "$scripts/parallel.sh"
compare parallel.survey
