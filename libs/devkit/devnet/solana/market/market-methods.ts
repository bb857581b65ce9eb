import { TidepoolError } from '#libs/core/errors.js';
import type { Methods } from '../rpc-context.js';
import { invalidParams } from '../rpc-errors.js';
import { asInteger, configAt, flag, textAt } from '../rpc-params.js';
import type { Funding } from './funding.js';

/** What a market's owner may ask of it. */
export interface ControlledMarket {
  contents(): object;
  slot(options: { traders: boolean }): object;
  fund(address: string, funding: Funding): object;
}

/** The market's owner over the chain's JSON-RPC: what MarketRunner does, for a market that runs in another process. */
export function marketMethods(market: () => ControlledMarket): Methods {
  return {
    market_contents: () => market().contents(),
    market_slot: (params) => market().slot({ traders: flag(configAt(params, 0), 'traders', true) }),
    market_fund: (params) => {
      try {
        return market().fund(textAt(params, 0, 'base58'), fundingOf(configAt(params, 1)));
      } catch (error) {
        if (error instanceof TidepoolError && error.code === 'devnet_market') throw invalidParams(error.message);
        throw error;
      }
    },
  };
}

function fundingOf(config: Record<string, unknown>): Funding {
  const { lamports, tokens = [] } = config;
  if (!Array.isArray(tokens)) throw invalidParams('`tokens` is a list of {mint, amount}');
  return {
    ...(lamports === undefined ? {} : { lamports: amountOf(lamports) }),
    tokens: tokens.map((entry: unknown) => {
      const { mint, amount } = (entry ?? {}) as { mint?: unknown; amount?: unknown };
      if (typeof mint !== 'string') throw invalidParams('`tokens` is a list of {mint, amount}');
      return { mint, amount: amountOf(amount) };
    }),
  };
}

const amountOf = (value: unknown): bigint =>
  typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : BigInt(asInteger(value));
