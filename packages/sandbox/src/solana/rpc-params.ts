// Validates call parameters with the messages of a Solana node. Validated values are safe for the engine.

import { findBase58, findKeyBytes } from './base58.ts';
import type { Commitment } from './chain.ts';
import { invalidParams } from './rpc-error.ts';

export type Config = Readonly<Record<string, unknown>>;

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;

function readText(value: unknown): string {
  if (value === undefined) throw invalidParams('`params` should have at least 1 argument(s)');
  if (typeof value !== 'string') throw invalidParams(`Invalid params: invalid type: ${nameType(value)}, expected a string.`);
  return value;
}

export function readAddress(value: unknown): string {
  return readKey(value, 32);
}

export function readSignature(value: unknown): string {
  return readKey(value, 64);
}

function readKey(value: unknown, length: 32 | 64): string {
  const text = readText(value);
  if (findKeyBytes(text, length) !== undefined) return text;
  const isReadable = text.length <= 128 && findBase58(text) !== undefined;
  throw invalidParams(isReadable ? 'Invalid param: WrongSize' : 'Invalid param: Invalid');
}

export function readConfig(value: unknown): Config {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidParams(`Invalid params: invalid type: ${nameType(value)}, expected an object.`);
  }
  return value as Config;
}

export function readList(value: unknown, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams(`Invalid params: invalid type: ${nameType(value)}, expected a sequence.`);
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`);
  return value;
}

export function readInteger(value: unknown, name: string, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max) {
    throw invalidParams(`Invalid params: ${name} must be a whole number from 0 to ${max}.`);
  }
  return value;
}

export function findInteger(value: unknown, name: string, max?: number): number | undefined {
  return value === undefined || value === null ? undefined : readInteger(value, name, max);
}

export function readFlag(config: Config, name: string): boolean {
  const value = config[name] ?? false;
  if (typeof value !== 'boolean') throw invalidParams(`Invalid params: invalid type: ${nameType(value)}, expected a boolean.`);
  return value;
}

export function readChoice<Choice extends string>(value: unknown, choices: readonly Choice[], fallback: Choice): Choice {
  if (value === undefined || value === null) return fallback;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw invalidParams(`Invalid params: unknown variant, expected one of ${choices.join(', ')}.`);
  return choice;
}

export function readCommitment(config: Config, name = 'commitment'): Commitment {
  return readChoice(config[name], COMMITMENTS, 'finalized');
}

/** The commitment for history reads: at least "confirmed". */
export function readHistoryCommitment(config: Config): Commitment {
  const commitment = readCommitment(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

export function readBytes(value: unknown, encoding: 'base58' | 'base64', maxLength: number): Uint8Array {
  const text = readText(value);
  if (text.length > maxLength) throw invalidParams(`${encoding} encoded value too large: ${text.length} bytes (max: ${maxLength})`);
  const bytes = encoding === 'base58' ? findBase58(text) : findBase64(text);
  if (bytes === undefined) throw invalidParams(`invalid ${encoding} encoding`);
  return bytes;
}

function findBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}

function nameType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'sequence' : typeof value;
}
