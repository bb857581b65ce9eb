import { Module } from '@nestjs/common';
import { HostListener, hostListener } from '../hosts/host-listener.js';
import { RELAY_PLACE } from '../tokens.js';
import { relayHost, relayRoutes } from './relay-host.js';

/** The listener of the bundle relay. */
export class RelayListener extends HostListener {}

@Module({
  providers: [...relayRoutes, hostListener(RelayListener, relayHost, RELAY_PLACE, relayRoutes)],
  exports: [RelayListener],
})
export class RelayModule {}
