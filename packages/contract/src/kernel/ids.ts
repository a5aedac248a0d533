import { z } from 'zod';

/**
 * Ids read `<prefix>_<milliseconds>_<9 base36 characters>`. As template-literal types they cannot be mixed up
 * between nouns, and the prefix is all a person needs to know what they hold.
 */
export type AgentId = `ext_${string}` | `agt_${string}`;
export type WalletLinkId = `uw_${string}`;

function idSchema<T extends string>(prefix: string, name: string, description: string): z.ZodType<T, T> {
  const pattern = new RegExp(`^${prefix}_\\d{10,16}_[a-z0-9]{4,16}$`);
  const example = `${prefix.replace(/[()]/g, '').split('|')[0]}_1700000000000_k3v9x1q7a`;
  const schema = z
    .string()
    .regex(pattern, `Not ${description}.`)
    .meta({ id: name, description, examples: [example] });
  return schema as unknown as z.ZodType<T, T>;
}

export const agentId = idSchema<AgentId>('(ext|agt)', 'AgentId', 'an agent id');
export const walletLinkId = idSchema<WalletLinkId>('uw', 'WalletLinkId', 'the id of a linked wallet');
