import { Injectable, type Type } from '@nestjs/common';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import type { KeyDefinition } from '#libs/serve/live/channel.js';

/** A provider that finds what the checked parameters of a subscription name. Nothing is read yet. */
export interface LiveChannel<Parameters extends object = object> {
  resolve(parameters: Parameters): KeyDefinition;
}

// biome-ignore lint/suspicious/noExplicitAny: what a provider is made with is the container's business
type ChannelClass<Parameters extends object> = new (...given: any[]) => LiveChannel<Parameters>;

const declarations = new WeakMap<object, ChannelDeclaration>();

/** Declares the live channel that a Nest provider is. Every channel asks for a key, and costs what a stream does. */
export function Channel<Parameters extends object>(declared: Omit<ChannelDeclaration<Parameters>, 'access' | 'cost'>) {
  return (type: ChannelClass<Parameters>): void => {
    Injectable()(type);
    declarations.set(type, { ...declared, access: 'keyed', cost: 'stream' } as ChannelDeclaration);
  };
}

export function channelDeclarationOf(type: Type<unknown>): ChannelDeclaration {
  const declaration = declarations.get(type);
  if (declaration === undefined) throw new Error(`${type.name} declares no channel`);
  return declaration;
}
