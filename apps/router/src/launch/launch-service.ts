import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { LAUNCH_FILES } from '#libs/protocol/launch-files.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { JsonObject } from '#libs/serve/http/json-body.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import type { OwnAddress } from '../own-address.js';
import { evmBuilders, solanaBuilders } from './builders.js';
import { type CallerNode, judgeNodeUrl, onEvmNode, onSolanaNode } from './caller-node.js';
import { type ImageParts, judgeImageUrl, seesImage } from './image-check.js';
import type { LaunchDeps } from './launch-deps.js';
import { SAMPLE_IMAGE } from './launch-files.js';
import { tooManyCreates } from './launch-problem.js';
import { type MetadataFile, metadataOf } from './metadata/metadata.js';
import type { BuiltLaunch, CreateOrder } from './ports.js';
import { type CreateRequest, readCreate } from './read-create.js';

/** Programs keep no longer addresses. */
const MOST_URI_BYTES = 128;

/**
 * Creates of tokens: unsigned, simulated, with their metadata kept where everybody reads them. The order: what the fields say,
 * then the client's limit, then what asks others. A create counts towards the limit once its fields are right.
 */
export class LaunchService {
  constructor(
    private readonly deps: LaunchDeps,
    private readonly own: OwnAddress,
    private readonly logger: Pick<HttpLogger, 'warn'>,
  ) {}

  /** The picture that a page may take in a demonstration; null where no chain is a local one. */
  get sampleImage(): string | null {
    return this.deps.localNodes.size === 0 ? null : this.addressOf(SAMPLE_IMAGE);
  }

  async create(chain: ChainSpec, body: JsonObject, client: string, signal: AbortSignal): Promise<LaunchCreated> {
    const asked = readCreate(chain, body);
    const node = this.nodeOf(chain, asked);
    judgeNodeUrl(node);
    judgeImageUrl(asked.image, this.images);
    const file = metadataOf(asked);
    const metadataUri = this.metadataUri(file);
    const wait = await this.deps.limits.take(client);
    if (wait > 0) throw tooManyCreates(wait);
    const order = { ...asked, chain, uri: metadataUri };
    const [built, seen] = await Promise.all([
      build(asked.platform, order, node, signal),
      seesImage(asked.image, this.images),
    ]);
    await this.keep(file, chain);
    return {
      ...{ chain: chain.slug, platform: asked.platform, ...built, metadataUri },
      warnings: seen ? [] : ['image_not_checked'],
    };
  }

  private get images(): ImageParts {
    const { imagePorts, parts } = this.deps;
    return { sample: this.sampleImage, ...(imagePorts && { ports: imagePorts }), ...(parts && { parts }) };
  }

  private nodeOf({ slug }: ChainSpec, { rpcUrl }: CreateRequest): CallerNode {
    const { localNodes, parts, exchangeMs } = this.deps;
    const local = localNodes.get(slug);
    return {
      rpcUrl,
      trustedOrigin: local === undefined ? null : new URL(local).origin,
      ...(parts && { parts }),
      ...(exchangeMs && { exchangeMs }),
    };
  }

  private metadataUri({ name }: MetadataFile): string {
    const uri = this.addressOf(name);
    if (Buffer.byteLength(uri) <= MOST_URI_BYTES) return uri;
    const message = `the address of this router is too long: metadata addresses have at most ${MOST_URI_BYTES} bytes`;
    throw new HttpProblem(503, 'not_ready', message);
  }

  private addressOf(name: string): string {
    const base = this.deps.publicUrl ?? this.own.url;
    return `${base.replace(/\/$/, '')}${LAUNCH_FILES}/${name}`;
  }

  /** A token without its metadata would be one for ever: without them nothing is answered. */
  private async keep({ body }: MetadataFile, { slug }: ChainSpec): Promise<void> {
    try {
      await this.deps.metadata.put(body, slug);
    } catch (error) {
      this.logger.warn({ err: error }, 'the metadata of a create were not kept');
      throw new HttpProblem(503, 'not_ready', 'the log does not take the metadata now: try again');
    }
  }
}

function build(platform: string, order: CreateOrder, node: CallerNode, signal: AbortSignal): Promise<BuiltLaunch> {
  if (order.chain.family === 'evm') {
    const builder = evmBuilders.find((each) => each.platform === platform)!;
    return onEvmNode(order.chain, node, signal, (endpoint) => builder.build(endpoint, order, signal));
  }
  const builder = solanaBuilders.find((each) => each.platform === platform)!;
  return onSolanaNode(node, signal, (endpoint) => builder.build(endpoint, order, signal));
}
