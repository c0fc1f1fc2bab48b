#!/bin/bash
mpirun -n 4 softscope survey -m "$MODEL" "$PICTURES" -o 'ranks-{shard}.survey' --shard auto --workers 1
softscope merge ranks-*-of-4.survey -o ranks.survey
