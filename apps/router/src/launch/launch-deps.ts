import type { FetchParts } from '#libs/platform/outbound/guarded-fetch.js';
import type { CreateLimits } from './limit/create-limits.js';
import type { MetadataStore } from './metadata/metadata-store.js';

/** What creates are made with, besides the nodes that their callers name. */
export interface LaunchDeps {
  readonly metadata: MetadataStore;
  readonly limits: CreateLimits;
  /** Nodes of local chains, by slug: such a one may be named although its address is not public. */
  readonly localNodes: ReadonlyMap<string, string>;
  /** Where clients reach this router; null: at its own listener. */
  readonly publicUrl: string | null;
  /** How long a caller's node may take for one exchange; 6 s. */
  readonly exchangeMs?: number;
  /** Ports of images besides those of the schemes; none in an instance. */
  readonly imagePorts?: readonly number[];
  /** The parts that reach outside; specs put others in their place. */
  readonly parts?: FetchParts;
}
