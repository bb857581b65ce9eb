import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import { ParameterReader } from '#libs/serve/contract/schema/parameter-reader.js';
import type { ChannelDefinition, KeyDefinition } from './channel.js';
import { badLiveRequest } from './live-problem.js';

/** A declared channel as the hub takes it: parameters are read and checked before it looks for what they name. */
export function channelOf<Parameters extends object>(
  { name, parameters }: ChannelDeclaration<Parameters>,
  resolve: (parameters: Parameters) => KeyDefinition,
): ChannelDefinition {
  const reader = new ParameterReader<Parameters>(parameters, 'message');
  return {
    name,
    resolve(given) {
      const outcome = reader.read(given);
      if ('problem' in outcome) throw badLiveRequest(outcome.problem);
      return resolve(outcome.value);
    },
  };
}
