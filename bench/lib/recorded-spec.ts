import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { ServedRecording } from './replay-server.js';

/** What an indexer has to know of a recording. */
export interface RecordedContracts extends Pick<ServedRecording, 'venues' | 'multicall3'> {
  readonly tokens: readonly ServedRecording['tokens'][number][];
}

/** Ethereum's specification with the recording's own contracts. */
export function recordedSpec(recording: RecordedContracts, blockTimeMs = eth.blockTimeMs): ChainSpec {
  const tokenOf = (symbol: string) => {
    const found = recording.tokens.find((token) => token.symbol === symbol);
    if (found === undefined) throw new Error(`the recording has no token ${symbol}`);
    return { token: found.address.slice(2).toLowerCase(), symbol, decimals: found.decimals };
  };
  const venues = recording.venues.map(({ venue, factory }): VenueSpec => {
    const protocol = venue.endsWith('v2') ? 'v2' : 'v3';
    return {
      venue,
      id: `eth-${venue}`,
      label: venue,
      aliases: [`eth-${venue}`],
      protocol,
      factory: factory.slice(2).toLowerCase(),
      addresses: {},
      contracts: null,
    };
  });
  return {
    ...eth,
    blockTimeMs,
    wrappedNative: tokenOf('TWETH'),
    stables: ['USDC', 'USDT', 'DAI'].map(tokenOf),
    venues,
    evm: {
      multicall3: recording.multicall3.slice(2).toLowerCase(),
      quoteLifetimeMs: 15_000,
      intermediates: [],
      wrappedNativeCode: null,
    },
  };
}
