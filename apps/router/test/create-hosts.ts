import 'reflect-metadata';
import type { Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { HostListener } from '../src/hosts/host-listener.js';
import { BundleRelay } from '../src/relay/bundle-relay.js';
import { RelayListener, RelayModule } from '../src/relay/relay.module.js';
import { RELAY_PLACE, UTILITIES_PLACE } from '../src/tokens.js';
import { SolanaUtilities } from '../src/utilities/solana-utilities.js';
import { UtilitiesListener, UtilitiesModule } from '../src/utilities/utilities.module.js';
import type { RunningRouter } from './create-router.js';
import { givenParts, type ListenerParts } from './given-parts.js';

/** Runs the listener of a bundle relay; the caller closes the relay itself. */
export const createRelay = (relay: BundleRelay, parts: ListenerParts): Promise<RunningRouter> =>
  createHost(RelayModule, RelayListener, RELAY_PLACE, { provide: BundleRelay, useValue: relay }, parts);

/** Runs the listener of the Solana utilities; the caller closes the utilities themselves. */
export const createUtilities = (utilities: SolanaUtilities, parts: ListenerParts): Promise<RunningRouter> => {
  const provider = { provide: SolanaUtilities, useValue: utilities };
  return createHost(UtilitiesModule, UtilitiesListener, UTILITIES_PLACE, provider, parts);
};

async function createHost(
  module: Type,
  listener: Type<HostListener>,
  place: symbol,
  served: Provider,
  parts: ListenerParts,
): Promise<RunningRouter> {
  class GivenHost {}
  const app = await NestFactory.createApplicationContext(
    { module: GivenHost, imports: [givenParts(parts, place, served), module] },
    { logger: false, abortOnError: false },
  );
  return { url: app.get(listener, { strict: false }).url!, close: () => app.close() };
}
