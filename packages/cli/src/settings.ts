/** Settings that every command takes besides its own fields. */
import type { ClientOptions } from '@market/sdk';
import { UsageError } from './command.ts';
import { commandWallet } from './command-wallet.ts';

export interface SettingFlag {
  readonly flag: string;
  readonly type: 'string' | 'boolean';
  readonly value: string;
  readonly description: string;
}

export const settingFlags: readonly SettingFlag[] = [
  {
    flag: 'url',
    type: 'string',
    value: '<address>',
    description: 'The service; else MARKET_BASE_URL or MARKET_URL, else http://127.0.0.1:4020.',
  },
  { flag: 'api-key', type: 'string', value: '<key>', description: "An agent's API key; else MARKET_API_KEY." },
  { flag: 'token', type: 'string', value: '<token>', description: 'An identity-provider token; else MARKET_TOKEN.' },
  { flag: 'wallet', type: 'string', value: '<address>', description: 'The wallet that signs where a call needs it; else MARKET_WALLET.' },
  {
    flag: 'sign-with',
    type: 'string',
    value: '<command>',
    description: 'A shell command that reads a text and prints the wallet’s signature; else MARKET_SIGN_WITH.',
  },
  { flag: 'body', type: 'string', value: '-', description: 'Read fields as a JSON object from standard input; flags win over it.' },
  { flag: 'full', type: 'boolean', value: '', description: 'Print the whole answer, with the fields beside data; of a refusal, its data.' },
  { flag: 'help', type: 'boolean', value: '', description: 'Show this help.' },
];

export type Settings = Readonly<Record<string, string | boolean | undefined>>;

export function clientOptions(settings: Settings, env: Readonly<Record<string, string | undefined>>): ClientOptions {
  const choose = (flag: string, ...variables: readonly string[]): string | undefined => {
    const given = settings[flag];
    return typeof given === 'string' ? given : variables.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  };
  const apiKey = choose('api-key', 'MARKET_API_KEY');
  const accessToken = choose('token', 'MARKET_TOKEN');
  const wallet = choose('wallet', 'MARKET_WALLET');
  const signWith = choose('sign-with', 'MARKET_SIGN_WITH');
  if ((wallet === undefined) !== (signWith === undefined)) {
    throw new UsageError('A wallet needs both: --wallet (or MARKET_WALLET) and --sign-with (or MARKET_SIGN_WITH).');
  }
  return {
    baseUrl: choose('url', 'MARKET_BASE_URL', 'MARKET_URL') ?? 'http://127.0.0.1:4020',
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(wallet === undefined || signWith === undefined ? {} : { wallet: commandWallet(wallet, signWith) }),
  };
}
