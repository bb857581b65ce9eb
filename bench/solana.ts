import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { isJsonRecord, type Json } from '#libs/chain/chains/solana/malformed.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import { type SolanaTrade, tradesOf, venuesByProgram } from '#libs/chain/market-ports/solana/trades.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { knownDifferences, type PeerTrade, runSolanaPeer } from './lib/solana-peer.js';
import { printTable } from './lib/table.js';

/**
 * bench/solana: Solana transactions decoded per second of one core, from the recorded answers as objects to trades, compared
 * with the package solana-dex-parser in its own process; then which trades each of the two finds. A trade that the package
 * finds and we do not must be in bench/peers/solana/differences.json with its reason, else the run fails.
 */
const HELP = `node dist/bench/solana.js
  --seconds 5    each side is measured
  --all          also print the trades that one side finds alone or with other amounts`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seconds = Number(values.seconds);
const programs = venuesByProgram([...solanaVenues, ...solanaLaunchpads].map(({ decoder }) => decoder));
const recorded: { name: string; answer: Json }[] = JSON.parse(
  gunzipSync(readFileSync('apps/cli/src/decode/fixtures/solana-transactions.json.gz')).toString(),
);
const answers = recorded.map(({ answer }) => answer);
const decode = (answer: Json): SolanaTrade[] => tradesOf(readSolanaTransaction(answer), programs);

function measure(ms: number): number {
  const end = performance.now() + ms;
  const before = process.cpuUsage();
  let transactions = 0;
  while (performance.now() < end) {
    for (const answer of answers) decode(answer);
    transactions += answers.length;
  }
  const { user, system } = process.cpuUsage(before);
  return transactions / ((user + system) / 1e6);
}

measure(1000);
const ourRate = measure(seconds * 1000);
const peer = await runSolanaPeer(answers, seconds);
const peerRate = peer.transactions / peer.cpuSeconds;

interface Found {
  ours: number;
  theirs: number;
  both: number;
  sameAmounts: number;
  otherAmounts: string[];
  onlyOurs: string[];
  onlyTheirs: { signature: string; instruction: string; dex: string }[];
}

const found: Found = { ours: 0, theirs: 0, both: 0, sameAmounts: 0, otherAmounts: [], onlyOurs: [], onlyTheirs: [] };
for (const [index, answer] of answers.entries()) {
  const theirs = peer.trades[index]!;
  compare(signatureOf(answer), decode(answer), Array.isArray(theirs) ? theirs : [], found);
}

/** Trades of one transaction are the same when instruction and mints agree and so does one of the amounts. */
function compare(signature: string, ours: readonly SolanaTrade[], theirs: readonly PeerTrade[], totals: Found): void {
  const open = [...ours];
  totals.ours += ours.length;
  totals.theirs += theirs.length;
  for (const trade of theirs) {
    const at = open.findIndex((each) => isSame(each, trade));
    if (at < 0) {
      totals.onlyTheirs.push({ signature, instruction: trade.instruction, dex: trade.dex });
      continue;
    }
    const [same] = open.splice(at, 1);
    totals.both++;
    const amounts = `${same!.inputAmount} to ${same!.outputAmount}`;
    const theirAmounts = `${trade.inputAmount} to ${trade.outputAmount}`;
    if (amounts === theirAmounts) totals.sameAmounts++;
    else totals.otherAmounts.push(`${signature} ${same!.instruction} ${same!.dex}: ${amounts}, theirs ${theirAmounts}`);
  }
  totals.onlyOurs.push(...open.map((trade) => `${signature} ${trade.instruction} ${trade.dex}`));
}

function isSame(ours: SolanaTrade, theirs: PeerTrade): boolean {
  return (
    ours.instruction.split('.')[0] === theirs.instruction.split('-')[0] &&
    solanaIds.formatAddress(ours.inputMint) === theirs.inputMint &&
    solanaIds.formatAddress(ours.outputMint) === theirs.outputMint &&
    (`${ours.inputAmount}` === theirs.inputAmount || `${ours.outputAmount}` === theirs.outputAmount)
  );
}

function signatureOf(answer: Json): string {
  const { transaction } = answer;
  return isJsonRecord(transaction) && Array.isArray(transaction.signatures) ? String(transaction.signatures[0]) : '';
}

const known = new Map((await knownDifferences()).map((each) => [`${each.signature} ${each.instruction}`, each.reason]));
const reasons = new Map<string, number>();
const unexplained = found.onlyTheirs.filter(({ signature, instruction }) => {
  const reason = known.get(`${signature} ${instruction}`);
  if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return reason === undefined;
});
/** Trades of the listed venues that took place: all but those that only the package finds for a stated reason. */
const tookPlace = found.both + found.onlyOurs.length + unexplained.length;
const percent = (part: number): string => `${((100 * part) / tookPlace).toFixed(1)} %`;
console.log(`${answers.length} recorded transactions with ${tookPlace} trades of listed venues\n`);
printTable(
  ['decoder', 'transactions/s and core', 'of these trades', 'share', 'others'],
  [
    ['tidepool', ourRate.toFixed(0), `${found.ours}`, percent(found.ours), '0'],
    [
      'solana-dex-parser',
      peerRate.toFixed(0),
      `${found.both + unexplained.length}`,
      percent(found.both + unexplained.length),
      `${found.onlyTheirs.length - unexplained.length}`,
    ],
  ],
);
console.log(
  `\nratio ${(ourRate / peerRate).toFixed(1)}; amounts are the same in ${found.sameAmounts} of the ${found.both} trades of both`,
);
for (const [reason, count] of reasons) console.log(`${count} others: ${reason}`);
if (values.all) {
  for (const line of found.otherAmounts) console.log(`other amounts ${line}`);
  for (const line of found.onlyOurs) console.log(`only ours    ${line}`);
  for (const { signature, instruction, dex } of found.onlyTheirs)
    console.log(`only theirs  ${signature} ${instruction} ${dex}`);
}
for (const { signature, instruction, dex } of unexplained) {
  console.log(`not in differences.json: ${signature} ${instruction} ${dex}`);
}
process.exitCode = unexplained.length === 0 ? 0 : 1;
