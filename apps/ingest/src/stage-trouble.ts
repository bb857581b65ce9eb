/** Words for the permanent codes of errors that end a stage's run, with the next step. The error's own text stays in the log. */
const words: Record<string, string> = {
  writer_taken: 'another process opened the writer of this stage without holding the chain; it is opened again',
  fenced: 'another process has taken over this chain; end one of the two',
  log_broken: 'the event log contradicts itself; `tidepool status` and the log of the process say where',
  undecodable: 'a record cannot be decoded by this version; `tidepool dlq ls` shows it',
  wrong_chain: 'every node serves another chain; correct {nodes}',
  no_rpc: 'no node that answers over http is configured; set {nodes}',
  disk_full: 'the disk is full; make room and it goes on by itself',
  store_failed: 'the tables do not answer; it is tried again',
  store_in_use: 'the tables are in use by another process; end that one',
  schema_changed: 'the tables were changed by hand; restore them or replay',
  schema_too_new: 'the tables were made by a newer version; start that one',
  log_failed: 'the event log does not answer; it is tried again',
  unknown_outcome: 'the event log did not answer an append; it is tried again',
};

/** A sentence about a stage that failed. `nodes` is the variable that names the nodes of the chain. */
export function stageTrouble({ stage, code }: { stage: string; code: string }, nodes: string): string {
  const known = words[code];
  if (known !== undefined) return `${stage}: ${known.replace('{nodes}', nodes)}`;
  return `${stage}: failed (${code}) and is tried again; the log of the process says why`;
}
