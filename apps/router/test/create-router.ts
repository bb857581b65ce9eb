import 'reflect-metadata';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import type { FeatureClass } from '#libs/serve/http/route-feature.js';
import type { EvmChain } from '../src/evm/ports.js';
import type { HeldQuotes } from '../src/held/held-quotes.js';
import type { LaunchDeps } from '../src/launch/launch-deps.js';
import { MemoryCreateLimits } from '../src/launch/limit/create-limits.js';
import type { ReceiptKeeper } from '../src/receipts/receipt-keeper.js';
import { RouterListener } from '../src/router-listener.js';
import { RoutesModule } from '../src/routes.module.js';
import type { SolanaChain } from '../src/solana/ports.js';
import { SolanaVenues } from '../src/solana/venues/solana-venues.js';
import { EVM_CHAINS, HELD_QUOTES, LAUNCH, RECEIPTS, ROUTER_PLACE, SOLANA_CHAIN } from '../src/tokens.js';
import { givenParts, type ListenerParts } from './given-parts.js';
import { MemoryMetadata } from './launch/memory-metadata.js';

/** What a router is made of here. */
export interface RouterParts extends ListenerParts {
  /** In the order in which lists show them, with or without a node. */
  readonly chains: readonly EvmChain[];
  /** Absent: the router serves EVM chains alone. */
  readonly solana?: SolanaChain;
  readonly held: HeldQuotes;
  /** The caller runs it. */
  readonly receipts: Pick<ReceiptKeeper, 'add' | 'chains' | 'list'>;
  /** `ownLaunch` without it. */
  readonly launch?: LaunchDeps;
}

export interface RunningRouter {
  readonly url: string;
  close(): Promise<void>;
}

/** The modules of a router over given parts. */
export function routerOver(parts: RouterParts, features?: readonly FeatureClass[]): DynamicModule[] {
  const { chains, held, receipts, now = Date.now } = parts;
  const given = givenParts(
    parts,
    ROUTER_PLACE,
    { provide: EVM_CHAINS, useValue: chains },
    { provide: SOLANA_CHAIN, useValue: parts.solana ?? unservedSolana() },
    { provide: HELD_QUOTES, useValue: held },
    { provide: RECEIPTS, useValue: receipts },
    { provide: LAUNCH, useValue: parts.launch ?? ownLaunch(now) },
  );
  return [given, RoutesModule.of(features)];
}

/** Runs a router over given parts. */
export async function createRouter(parts: RouterParts): Promise<RunningRouter> {
  class GivenRouter {}
  const app = await NestFactory.createApplicationContext(
    { module: GivenRouter, imports: routerOver(parts) },
    { logger: false, abortOnError: false },
  );
  return { url: app.get(RouterListener, { strict: false }).url!, close: () => app.close() };
}

/** Creates with metadata and limits of this process alone. */
export const ownLaunch = (now: () => number): LaunchDeps => ({
  ...{ metadata: new MemoryMetadata(), limits: new MemoryCreateLimits(now) },
  ...{ localNodes: new Map(), publicUrl: null },
});

function unservedSolana(): SolanaChain {
  const spec = servedChains().find(({ family }) => family === 'solana')!;
  const venues = new SolanaVenues(spec);
  return { spec, isListed: false, venues, services: null, absence: 'it is not served here', demoRpcUrl: null };
}
