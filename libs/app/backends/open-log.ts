// Room: the opening of the log and the store that the configuration names. May import core, protocol, platform,
// pipeline/event-log, pipeline/store.

import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Config } from '#libs/platform/config.js';
import type { DataFolder } from '#libs/platform/data-folder.js';

/** Where an event log is, as a value that can be handed to another thread. */
export type LogAddress =
  | { readonly kind: 'embedded'; readonly dir: string }
  | {
      readonly kind: 'kafka';
      readonly brokers: string[];
      readonly replicationFactor: number;
      readonly clientId: string;
    };

/** The event log the configuration names: Kafka, or lmdb in the data folder. */
export function logAddress(config: Config, folder: DataFolder): LogAddress {
  if (config.kafka === null) return { kind: 'embedded', dir: folder.path('log') };
  return { kind: 'kafka', ...config.kafka, clientId: `tidepool-${config.app}` };
}

export async function openLogAt(address: LogAddress): Promise<EventLog> {
  if (address.kind === 'embedded') return openEmbeddedLog({ dir: address.dir });
  // Each thread opens a log of its own, and few need the modules of Kafka's client.
  const { openKafkaLog } = await import('#libs/pipeline/event-log/kafka/kafka-log.js');
  return openKafkaLog(address);
}

export function openLog(config: Config, folder: DataFolder): Promise<EventLog> {
  return openLogAt(logAddress(config, folder));
}
