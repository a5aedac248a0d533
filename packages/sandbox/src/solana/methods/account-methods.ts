// RPC methods that read accounts and tokens.

import type { AccountImage } from '../account-image.ts';
import { type Bank, openBank } from '../bank.ts';
import { presentAccount, readAccountView } from '../present-account.ts';
import { invalidParams } from '../rpc-error.ts';
import { type Config, readAddress, readBytes, readChoice, readConfig, readFlag, readInteger, readList } from '../rpc-params.ts';
import { findMint, findTokenAccount, isTokenProgram, toTokenAmount } from '../token-account.ts';
import type { Method } from './method.ts';

const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;
const MAX_MEMCMP_TEXT = 175;

const getAccountInfo: Method = ({ chain }, params) => {
  const address = readAddress(params[0]);
  const config = readConfig(params[1]);
  const bank = openBank(chain, config);
  return bank.answer(presentAccount(bank.find(address), readAccountView(config), bank.find));
};

const getMultipleAccounts: Method = ({ chain }, params) => {
  const addresses = readList(params[0], 100).map(readAddress);
  const config = readConfig(params[1]);
  const bank = openBank(chain, config);
  const view = readAccountView(config);
  return bank.answer(addresses.map((address) => presentAccount(bank.find(address), view, bank.find)));
};

const getBalance: Method = ({ chain }, params) => {
  const address = readAddress(params[0]);
  const bank = openBank(chain, readConfig(params[1]));
  return bank.answer(bank.find(address)?.lamports ?? 0);
};

const getMinimumBalanceForRentExemption: Method = ({ chain }, params) =>
  chain.rentExemptMinimum(readInteger(params[0], 'data length', MAX_ACCOUNT_BYTES));

const getProgramAccounts: Method = ({ chain }, params) => {
  const program = readAddress(params[0]);
  const config = readConfig(params[1]);
  const bank = openBank(chain, config);
  const filters = readList(config['filters'] ?? [], 4).map((filter) => readFilter(readConfig(filter)));
  const found = chain.listOwnedBy(program, bank.slot).filter(([, account]) => filters.every((matches) => matches(account)));
  const accounts = presentKeyed(bank, found, config);
  return readFlag(config, 'withContext') ? bank.answer(accounts) : accounts;
};

function readFilter(filter: Config): (account: AccountImage) => boolean {
  if (filter['dataSize'] !== undefined) {
    const size = readInteger(filter['dataSize'], 'dataSize');
    return ({ data }) => data.length === size;
  }
  if (filter['tokenAccountState'] === true) return (account) => findTokenAccount(account) !== undefined;
  const memcmp = readConfig(filter['memcmp']);
  const offset = readInteger(memcmp['offset'], 'offset');
  const bytes = readBytes(memcmp['bytes'], readChoice(memcmp['encoding'], ['base58', 'base64'], 'base58'), MAX_MEMCMP_TEXT);
  return ({ data }) => Buffer.compare(data.subarray(offset, offset + bytes.length), bytes) === 0;
}

function presentKeyed(bank: Bank, accounts: Iterable<readonly [string, AccountImage]>, config: Config): unknown[] {
  const view = readAccountView(config);
  return Array.from(accounts, ([pubkey, account]) => ({ pubkey, account: presentAccount(account, view, bank.find) }));
}

const getTokenAccountBalance: Method = ({ chain }, params) => {
  const address = readAddress(params[0]);
  const bank = openBank(chain, readConfig(params[1]));
  const account = bank.find(address);
  if (account === undefined) throw invalidParams('Invalid param: could not find account');
  const token = findTokenAccount(account);
  if (token === undefined) throw invalidParams('Invalid param: not a Token account');
  return bank.answer(toTokenAmount(token.amount, readDecimals(bank, token.mint)));
};

const getTokenSupply: Method = ({ chain }, params) => {
  const address = readAddress(params[0]);
  const bank = openBank(chain, readConfig(params[1]));
  const mint = findMint(bank.find(address));
  if (mint === undefined) throw invalidParams('Invalid param: not a Token mint');
  return bank.answer(toTokenAmount(mint.supply, mint.decimals));
};

const getTokenAccountsByOwner: Method = ({ chain }, params) => {
  const owner = readAddress(params[0]);
  const filter = readConfig(params[1]);
  const config = readConfig(params[2]);
  const bank = openBank(chain, config);
  const isWanted = readTokenFilter(bank, filter);
  const found = [...chain.listTokenAccounts(owner, bank.slot)].filter(([, account]) => {
    const token = findTokenAccount(account);
    return token?.owner === owner && isWanted(token.mint, account.owner);
  });
  return bank.answer(presentKeyed(bank, found, config));
};

function readTokenFilter(bank: Bank, filter: Config): (mint: string, program: string) => boolean {
  if (filter['mint'] !== undefined) {
    const wanted = readAddress(filter['mint']);
    readDecimals(bank, wanted);
    return (mint) => mint === wanted;
  }
  const wanted = readAddress(filter['programId']);
  if (!isTokenProgram(wanted)) throw invalidParams('Invalid param: unrecognized Token program id');
  return (_mint, program) => program === wanted;
}

function readDecimals(bank: Bank, mint: string): number {
  const decimals = findMint(bank.find(mint))?.decimals;
  if (decimals === undefined) throw invalidParams('Invalid param: could not find mint');
  return decimals;
}

export const ACCOUNT_METHODS: Readonly<Record<string, Method>> = {
  getAccountInfo,
  getBalance,
  getMinimumBalanceForRentExemption,
  getMultipleAccounts,
  getProgramAccounts,
  getTokenAccountBalance,
  getTokenAccountsByOwner,
  getTokenSupply,
};
