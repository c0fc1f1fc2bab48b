#!/bin/bash
parallel softscope survey -m "$MODEL" "$PICTURES" -o 'parallel-{shard}.survey' --shard {}/4 --workers 1 ::: 1 2 3 4
softscope merge parallel-*-of-4.survey -o parallel.survey
