import { createRequire } from 'node:module';
import { Connection, type TransactionInstruction } from '@solana/web3.js';
import BN from 'bn.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { bufferOf, WRAPPED_MINT } from '#programs/client.js';
import { encodeTransaction } from '../../../solana/transaction/v1-transaction.js';
import { BLOCKHASH, FakeNode, LIMITS } from '../test/fake-node.js';
import { key, ours, plain, randomId } from '../test/sdk-instruction.js';
import { coinsOf, wrappedBuy } from '../wrapped-buy.js';
import { solanaMeteoraDbc } from './builder.js';
import { buyOnCurve, createConfig, dbcCurve, initializePool } from './instructions.js';

/** DBC's instructions equal those of Meteora's published SDK byte for byte; its builder puts these into one transaction. */
const sdk = createRequire(import.meta.url)('@meteora-ag/dynamic-bonding-curve-sdk');
const coin = key(WRAPPED_MINT);
/** It builds from the IDL and asks nothing. */
const { program } = sdk.createDbcProgram(new Connection('http://127.0.0.1:1'));

/** A billion tokens of 6 decimals, four fifths of them for 85 SOL, with a fee of 1% all along. */
const terms = () =>
  sdk.buildCurve({
    token: {
      ...{ tokenType: sdk.TokenType.SPL, tokenBaseDecimal: 6, tokenQuoteDecimal: 9, leftover: 0 },
      ...{ totalTokenSupply: 1_000_000_000, tokenAuthorityOption: 1 },
    },
    fee: {
      baseFeeParams: {
        baseFeeMode: sdk.BaseFeeMode.FeeSchedulerLinear,
        feeSchedulerParam: { startingFeeBps: 100, endingFeeBps: 100, numberOfPeriod: 0, totalDuration: 0 },
      },
      ...{ dynamicFeeEnabled: false, collectFeeMode: sdk.CollectFeeMode.QuoteToken, creatorTradingFeePercentage: 0 },
      ...{ poolCreationFee: 0, enableFirstSwapWithMinFee: false },
    },
    migration: {
      migrationOption: sdk.MigrationOption.MET_DAMM_V2,
      migrationFeeOption: sdk.MigrationFeeOption.FixedBps100,
      migrationFee: { feePercentage: 0, creatorFeePercentage: 0 },
    },
    liquidityDistribution: {
      ...{ partnerLiquidityPercentage: 0, partnerPermanentLockedLiquidityPercentage: 0 },
      ...{ creatorLiquidityPercentage: 0, creatorPermanentLockedLiquidityPercentage: 100 },
    },
    lockedVesting: {
      ...{ totalLockedVestingAmount: 0, numberOfVestingPeriod: 0, cliffUnlockAmount: 0 },
      ...{ totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 },
    },
    activationType: sdk.ActivationType.Slot,
    ...{ percentageSupplyOnMigration: 20, migrationQuoteThreshold: 85 },
  });

async function theirs(config: string, mint: string, creator: string, texts: readonly string[]) {
  const [configKey, mintKey, wallet] = [key(config), key(mint), key(creator)];
  const parameters = terms();
  sdk.validateConfigParameters({ ...parameters, leftoverReceiver: wallet });
  const pool = sdk.deriveDbcPoolAddress(coin, mintKey, configKey);
  const vaults = {
    baseVault: sdk.deriveDbcTokenVaultAddress(pool, mintKey),
    quoteVault: sdk.deriveDbcTokenVaultAddress(pool, coin),
  };
  const poolAuthority = sdk.deriveDbcPoolAuthority();
  const [name, symbol, uri] = texts;
  const made: TransactionInstruction[] = await Promise.all([
    program.methods
      .createConfig(parameters)
      .accountsPartial({
        config: configKey,
        feeClaimer: wallet,
        leftoverReceiver: wallet,
        quoteMint: coin,
        payer: wallet,
      })
      .instruction(),
    program.methods
      .initializeVirtualPoolWithSplToken({ name, symbol, uri })
      .accountsPartial({
        ...{ pool, config: configKey, payer: wallet, creator: wallet, baseMint: mintKey, poolAuthority, ...vaults },
        ...{ mintMetadata: sdk.deriveMintMetadata(mintKey), quoteMint: coin, metadataProgram: sdk.METAPLEX_PROGRAM_ID },
        ...{ tokenQuoteProgram: sdk.getTokenProgram(0), tokenProgram: sdk.getTokenProgram(0) },
      })
      .instruction(),
  ]);
  const buy = async (lamports: bigint, least: bigint) =>
    ours(
      await program.methods
        .swap({ amountIn: new BN(lamports.toString()), minimumAmountOut: new BN(least.toString()) })
        .accountsPartial({
          ...{ baseMint: mintKey, quoteMint: coin, pool, ...vaults, config: configKey, poolAuthority },
          ...{ referralTokenAccount: null, payer: wallet },
          inputTokenAccount: sdk.findAssociatedTokenAddress(wallet, coin, sdk.getTokenProgram(0)),
          outputTokenAccount: sdk.findAssociatedTokenAddress(wallet, mintKey, sdk.getTokenProgram(0)),
          ...{ tokenBaseProgram: sdk.getTokenProgram(0), tokenQuoteProgram: sdk.getTokenProgram(0) },
        })
        .instruction(),
    );
  return { pool: pool.toBase58() as string, create: made.map(ours), buy };
}

it('instructions are those of the SDK, and the settings those of its `buildCurve`', async () => {
  await withSeed('DBC', async (random) => {
    for (let n = 0; n < scaled(200, 20); n++) {
      const [config, mint, creator] = [randomId(random), randomId(random), randomId(random)] as const;
      const [name, symbol, uri] = ['Né 🌊', 'TIDE', `https://router.example.com/${n}`] as const;
      const curve = dbcCurve(config, mint);
      const { pool, create, buy } = await theirs(config, mint, creator, [name, symbol, uri]);
      expect(solanaIds.formatAddress(curve.id)).toBe(pool);
      const built = [createConfig(curve, creator), initializePool(curve, { creator, name, symbol, uri })];
      expect(built.map(plain)).toEqual(create.map(plain));
      const lamports = BigInt(random.below(2 ** 30)) * BigInt(random.below(2 ** 30));
      const least = BigInt(random.below(2 ** 30));
      expect(plain(buyOnCurve(curve, creator, lamports, least))).toEqual(plain(await buy(lamports, least)));
    }
  });
});

describe('a create', () => {
  let node: FakeNode;
  beforeAll(async () => {
    node = await FakeNode.start();
  });
  afterAll(() => node.close());

  it('is the SDK’s instructions in one v1 transaction, whose settings have a key of their own', async () => {
    const { creator, mint, given } = node;
    for (const [initialBuy, keepsCoins] of [
      [0n, false],
      [1_000_000_000n, false],
      [1_000_000_000n, true],
    ] as const) {
      node.there.clear();
      if (keepsCoins) node.there.set(coinsOf(creator.id), Buffer.alloc(165));
      const answer = await node.build(solanaMeteoraDbc, initialBuy);
      const settings = answer.signers.find(({ secretKey }) => secretKey !== null);
      const others = answer.signers.filter((signer) => signer !== settings);
      expect(others).toEqual([
        { address: creator.address, secretKey: null },
        { address: mint.address, secretKey: null },
      ]);
      const config = solanaIds.parseAddress(settings!.address)!;
      const texts = ['Spring Tide', 'TIDE', 'https://x.example.com/y'];
      const { pool, create, buy } = await theirs(config, mint.id, creator.id, texts);
      const swap = await buy(initialBuy, (given * 99n) / 100n);
      const bought = wrappedBuy({ creator: creator.id, mint: mint.id, lamports: initialBuy, keepsCoins }, swap);
      const all = initialBuy === 0n ? create : [...create, ...bought];
      const { bytes, keys } = encodeTransaction(creator.id, all, LIMITS, bufferOf(BLOCKHASH));
      expect([answer.curve, answer.transactions]).toEqual([pool, [bytes.toString('base64')]]);
      // Signatures are in the order of the keys.
      expect(answer.signers.map(({ address }) => solanaIds.parseAddress(address))).toEqual(keys.slice(0, 3));
    }
  });

  it('is refused where the program is missing, or the coins are', async () => {
    node.failure = 'ProgramAccountNotFound';
    await expect(node.build(solanaMeteoraDbc, 0n)).rejects.toMatchObject({ status: 501, code: 'not_wired' });
    node.failure = null;
    await expect(node.build(solanaMeteoraDbc, node.held)).rejects.toMatchObject({ code: 'insufficient_funds' });
  });
});
