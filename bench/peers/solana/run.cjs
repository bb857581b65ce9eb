// solana-dex-parser over a file of getTransaction answers: its trades leg by leg, then how fast it makes them. The answers
// are objects already, as for the side it is compared with. Usage: node run.cjs <answers.json> <seconds>; JSON on stdout.
const { readFileSync } = require('node:fs');
const { DexParser } = require('solana-dex-parser');

const [, , file, secondsText] = process.argv;
// It reads the public SDK's objects: keys as public keys, data of inner instructions as texts.
const answers = JSON.parse(readFileSync(file, 'utf8'));
const parser = new DexParser();
const config = { tryUnknowDEX: false, aggregateTrades: false };

const trades = answers.map((answer) => {
  try {
    return parser.parseTrades(answer, config).map((trade) => ({
      dex: trade.amm ?? '',
      program: trade.programId ?? '',
      pool: trade.Pool?.[0] ?? '',
      inputMint: trade.inputToken.mint,
      inputAmount: trade.inputToken.amountRaw,
      outputMint: trade.outputToken.mint,
      outputAmount: trade.outputToken.amountRaw,
      instruction: trade.idx,
    }));
  } catch (error) {
    return { failed: String(error.message) };
  }
});

const until = (ms) => {
  const start = process.cpuUsage();
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6));
  let runs = 0;
  while (process.hrtime.bigint() < end) {
    for (const answer of answers) parser.parseTrades(answer, config);
    runs++;
  }
  const { user, system } = process.cpuUsage(start);
  return { transactions: runs * answers.length, cpuSeconds: (user + system) / 1e6 };
};
until(1000);
const rate = until(Number(secondsText) * 1000);
process.stdout.write(JSON.stringify({ trades, ...rate }), () => process.exit(0));
