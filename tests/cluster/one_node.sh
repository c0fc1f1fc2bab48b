# Sourced: a Slurm of this one machine, as Debian packages it, in a folder of its own. Needs root, and the packages
# slurmctld slurmd slurm-client munge. CPUs are said to be four, so that four tasks run at a time.

# start_slurm FOLDER
start_slurm() {
  local folder=$1
  mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
  chmod 755 "$folder" && chmod 700 "$folder/munge"
  head -c 1024 /dev/urandom >"$folder/munge/key" && chmod 400 "$folder/munge/key"
  munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge/seed" \
    >"$folder/munged.out" 2>&1 &
  slurm_processes=($!)
  cat >"$folder/slurm.conf" <<CONF
ClusterName=onenode
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
SlurmctldPort=${SLURM_TEST_PORT:-27817}
SlurmdPort=$((${SLURM_TEST_PORT:-27817} + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=1,sched_interval=2
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$folder/slurm.conf
  while [ ! -S "$folder/munge.socket" ]; do sleep 0.1; done
  slurmctld -D >"$folder/slurmctld.out" 2>&1 &
  slurm_processes+=($!)
  slurmd -D >"$folder/slurmd.out" 2>&1 &
  slurm_processes+=($!)
  local try
  for try in $(seq 60); do
    [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return 0
    sleep 1
  done
  echo "Slurm did not start; its logs are in $folder" >&2
  return 1
}

stop_slurm() {
  [ ${#slurm_processes[@]} -eq 0 ] && return
  kill "${slurm_processes[@]}" 2>/dev/null
  # How they ended is no result of ours.
  wait "${slurm_processes[@]}" 2>/dev/null || true
}
