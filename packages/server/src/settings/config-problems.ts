/** Checks combinations of settings, and refuses settings that production or the sandbox does not allow. */
import { networkFacts } from '@market/contract';
import { allNetworks, isServed, nodeConfigOf, profileOf, type Values } from './setting-values.ts';

export type Role = 'service' | 'signer';

export function profileProblems(values: Partial<Values>, role: Role): string[] {
  const problems: string[] = [];
  if (values.IDP_ISSUER !== undefined && values.IDP_AUDIENCE === undefined) {
    problems.push('IDP_AUDIENCE must be set together with IDP_ISSUER');
  }
  if (values.MASTER_KEY !== undefined && values.MASTER_KEY_COMMAND !== undefined)
    problems.push('MASTER_KEY and MASTER_KEY_COMMAND must not be set together');
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL');
  problems.push(...storageProblems(values), ...facilitatorProblems(values), ...signerProblems(values, role));
  for (const facts of allNetworks) {
    const { setting } = facts;
    if (values[`${setting}_RPC_URL_2`] !== undefined && !isServed(values, facts))
      problems.push(`${setting}_RPC_URL_2 needs ${setting}_RPC_URL`);
  }
  if (profileOf(values) === 'sandbox')
    return [
      ...problems,
      ...mainnetSettings(values).map((name) => `${name} must not be set in the sandbox: its coins are worthless, mainnet's are not`),
    ];
  problems.push(...treasuryProblems(values, role), ...earnProblems(values));
  if (role === 'signer') return problems;
  if (values.SANDBOX_DEMO === 'on') problems.push('SANDBOX_DEMO must not be on in production');
  if (values.MCP_FIXTURES === 'on') problems.push('MCP_FIXTURES must not be on in production');
  if (values.CRASH_AT !== undefined) problems.push('CRASH_AT must not be set in production');
  if (values.MASTER_KEY === undefined && values.MASTER_KEY_COMMAND === undefined)
    problems.push('MASTER_KEY or MASTER_KEY_COMMAND must be set in production (openssl rand -hex 32)');
  if (values.BASE_URL === undefined) problems.push('BASE_URL must be set in production: it is printed into links and challenges');
  else if (!values.BASE_URL.startsWith('https://')) problems.push('BASE_URL must be an https address in production');
  if (values.APP_URL?.startsWith('http://') === true) problems.push('APP_URL must be an https address in production');
  if ((values.OUTBOUND_ALLOW?.length ?? 0) > 0) problems.push('OUTBOUND_ALLOW must be empty in production');
  if (values.METRICS_TOKEN === undefined && (values.TRUSTED_PROXIES?.length ?? 0) > 0) {
    problems.push('METRICS_TOKEN must be set when TRUSTED_PROXIES is: behind a proxy every caller looks local');
  }
  return problems;
}

const storageSettings = ['STORAGE_S3_ENDPOINT', 'STORAGE_S3_BUCKET', 'STORAGE_S3_ACCESS_KEY', 'STORAGE_S3_SECRET_KEY'] as const;

/** A store with missing settings would silently mean the data folder. */
function storageProblems(values: Partial<Values>): string[] {
  const missing = storageSettings.filter((name) => values[name] === undefined);
  return missing.length === storageSettings.length
    ? []
    : missing.map((name) => `${name} must be set together with the other STORAGE_S3 settings`);
}

const keySettings = ['TREASURY_SOLANA_KEY', 'TREASURY_EVM_KEY', 'SPONSOR_SOLANA_KEY', 'SPONSOR_EVM_KEY'] as const;

/** A transaction signed for the sandbox's Base is valid on Base itself; the two must never meet. */
function mainnetSettings(values: Partial<Values>): string[] {
  const served = allNetworks.filter((facts) => isServed(values, facts));
  return [...served.map(({ setting }) => `${setting}_RPC_URL`), ...keySettings.filter((name) => values[name] !== undefined)];
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A sandbox payment is valid on mainnet, too, so it must not leave the machine; a real one must not travel unencrypted. */
function facilitatorProblems(values: Partial<Values>): string[] {
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_AUTHORIZATION: authorization } = values;
  if (url === undefined) return authorization === undefined ? [] : ['X402_FACILITATOR_AUTHORIZATION needs X402_FACILITATOR_URL'];
  const { protocol, hostname } = new URL(url);
  if (profileOf(values) === 'production') {
    return protocol === 'https:' ? [] : ['X402_FACILITATOR_URL must be an https address in production'];
  }
  return LOOPBACK.has(hostname) ? [] : ['X402_FACILITATOR_URL must be an address of this machine in the sandbox'];
}

/** A vault without its router or its network would fail only at the first deposit. */
function earnProblems(values: Partial<Values>): string[] {
  const { EARN_VENUES: venues = [], EARN_ROUTER_EVM_ADDRESS: router } = values;
  const unserved = new Set(venues.map(({ network }) => network).filter((network) => !isServed(values, networkFacts[network])));
  return [
    ...(venues.length > 0 && router === undefined
      ? ['EARN_ROUTER_EVM_ADDRESS must be set together with EARN_VENUES (market earn-router deploy)']
      : []),
    ...[...unserved].map((network) => `EARN_VENUES names a vault on ${network}: set ${networkFacts[network].setting}_RPC_URL`),
  ];
}

/** A separate signer holds the keys, not this process. The connection to it stays on this machine or is encrypted. */
function signerProblems(values: Partial<Values>, role: Role): string[] {
  const { SIGNER_URL: url, SIGNER_SECRET: secret } = values;
  if (role === 'signer') return secret === undefined ? ['SIGNER_SECRET must be set for market signer (openssl rand -hex 32)'] : [];
  if (url === undefined) return [];
  const problems: string[] = [];
  if (secret === undefined) problems.push('SIGNER_SECRET must be set together with SIGNER_URL');
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !LOOPBACK.has(hostname)) problems.push('SIGNER_URL must be an https address unless it is on this machine');
  const keys = (['TREASURY_SOLANA_KEY', 'TREASURY_EVM_KEY'] as const).filter((name) => values[name] !== undefined);
  problems.push(...keys.map((name) => `${name} must not be set together with SIGNER_URL: the key belongs to the signer`));
  if (profileOf(values) === 'sandbox') {
    const missing = (['TREASURY_SOLANA_ADDRESS', 'TREASURY_EVM_ADDRESS'] as const).filter((name) => values[name] === undefined);
    problems.push(...missing.map((name) => `${name} must be set together with SIGNER_URL`));
  }
  return problems;
}

function treasuryProblems(values: Partial<Values>, role: Role): string[] {
  const problems: string[] = [];
  const kept = role === 'service' && values.SIGNER_URL !== undefined ? 'ADDRESS' : 'KEY';
  for (const [kind, name] of [
    ['solana', `TREASURY_SOLANA_${kept}`],
    ['evm', `TREASURY_EVM_${kept}`],
  ] as const) {
    const ofKind = allNetworks.filter((facts) => facts.kind === kind);
    const rpcSettings = ofKind.map(({ setting }) => `${setting}_RPC_URL`).join(' or ');
    if (ofKind.some((facts) => isServed(values, facts)) && values[name] === undefined)
      problems.push(`${name} must be set together with ${rpcSettings}`);
  }
  for (const facts of allNetworks.filter(({ caip2 }) => caip2 === null)) {
    const { setting } = facts;
    const { chainId, usdcAddress } = nodeConfigOf(values, facts);
    if (isServed(values, facts) && (chainId === undefined || usdcAddress === undefined))
      problems.push(`${setting}_CHAIN_ID and ${setting}_USDC_ADDRESS must be set together with ${setting}_RPC_URL`);
  }
  return problems;
}
