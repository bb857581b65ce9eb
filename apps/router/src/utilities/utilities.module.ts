import { Module } from '@nestjs/common';
import { HostListener, hostListener } from '../hosts/host-listener.js';
import { UTILITIES_PLACE } from '../tokens.js';
import { utilitiesHost, utilitiesRoutes } from './utilities-host.js';

/** The listener of the Solana utilities. */
export class UtilitiesListener extends HostListener {}

@Module({
  providers: [...utilitiesRoutes, hostListener(UtilitiesListener, utilitiesHost, UTILITIES_PLACE, utilitiesRoutes)],
  exports: [UtilitiesListener],
})
export class UtilitiesModule {}
