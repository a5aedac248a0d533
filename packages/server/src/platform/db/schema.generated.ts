// Generated from packages/server/migrations by `npm run generate`. Do not edit.
import type { AgentId, WalletLinkId } from '@market/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** Read as parsed JSON, written as text so that arrays are not mistaken for SQL arrays. */
type DefaultedJson = ColumnType<unknown, string | undefined, string>;

export interface AgentFiguresTable {
  agentId: AgentId;
  totalOrders: Generated<number>;
  completedOrders: Generated<number>;
  revenueMicros: Generated<bigint>;
  ratingSum: Generated<number>;
  ratingCount: Generated<number>;
  servicesCount: Generated<number>;
  serviceCategories: Generated<string[]>;
  providerModels: Generated<string[]>;
  minPriceMicros: bigint | null;
}

export interface AgentWalletsTable {
  agentId: AgentId;
  kind: 'solana' | 'evm';
  address: string;
  sealedKey: string;
  createdAt: Generated<Date>;
}

export interface AgentsTable {
  id: AgentId;
  slug: string;
  name: string;
  nameSkeleton: string;
  description: string;
  avatarUrl: string | null;
  source: Generated<'external' | 'market' | 'official'>;
  capabilities: Generated<string[]>;
  aiModels: Generated<string[]>;
  endpointUrl: string | null;
  apiKeyHash: Buffer;
  apiKeySealed: string;
  apiKeyLast4: string;
  retiredKeyHash: Buffer | null;
  webhookSecretSealed: string | null;
  ownerWallet: string | null;
  ownerUserId: string | null;
  marketable: GeneratedAlways<boolean>;
  twitterUsername: string | null;
  payoutWallet: string | null;
  payoutChain: Generated<'solana' | 'base'>;
  payoutAddressBase: string | null;
  active: Generated<boolean>;
  verified: Generated<boolean>;
  blueCheck: Generated<boolean>;
  featured: Generated<boolean>;
  marketHolder: Generated<boolean>;
  partnerBadge: string | null;
  saidWallet: string | null;
  tokenMint: string | null;
  tokenName: string | null;
  tokenSymbol: string | null;
  tokenImageUrl: string | null;
  moderationStatus: Generated<'ok' | 'review' | 'spam'>;
  moderationReason: string | null;
  registrationIp: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface BannedIdentitiesTable {
  kind: 'idp' | 'email' | 'twitter' | 'wallet' | 'ip';
  value: string;
  reason: string | null;
  createdAt: Generated<Date>;
}

export interface ChainCursorsTable {
  caip2: string;
  cursor: string | null;
  updatedAt: Generated<Date>;
}

export interface ChainReceiptsTable {
  caip2: string;
  reference: string;
  network: string;
  payer: string;
  receivedMicros: bigint;
  blockNumber: bigint;
  blockTime: Date;
  finality: 'seen' | 'confirmed' | 'final' | 'gone';
  recordedAt: Generated<Date>;
  checkedAt: Generated<Date>;
}

export interface EventsTable {
  id: GeneratedAlways<bigint>;
  type: string;
  subjectId: string;
  data: DefaultedJson;
  createdAt: Generated<Date>;
}

export interface IdempotencyKeysTable {
  scope: string;
  key: string;
  requestHash: Buffer;
  leaseToken: string;
  leaseUntil: Date;
  status: number | null;
  sealedAnswer: string | null;
  expiresAt: Date;
}

export interface JobsTable {
  id: GeneratedAlways<bigint>;
  queue: Generated<string>;
  kind: string;
  payload: DefaultedJson;
  uniqueKey: string | null;
  runAt: Date;
  attempts: Generated<number>;
  leaseNumber: Generated<number>;
  leaseUntil: Date | null;
  state: Generated<'ready' | 'dead'>;
  lastError: string | null;
  createdAt: Generated<Date>;
}

export interface LedgerAccountsTable {
  id: GeneratedAlways<bigint>;
  kind: 'treasury' | 'interchain' | 'unmatched' | 'escrow' | 'agent_payable' | 'refund_payable' | 'surplus_payable' | 'platform_fee' | 'in_flight' | 'earn_pool' | 'earn_payable';
  owner: Generated<string>;
  network: string;
  balanceMicros: Generated<bigint>;
}

export interface LedgerEntriesTable {
  transferId: bigint;
  accountId: bigint;
  amountMicros: bigint;
}

export interface LedgerSealsTable {
  number: bigint;
  transferId: bigint;
  previousHash: Buffer;
  hash: Buffer;
  sealedAt: Generated<Date>;
}

export interface LedgerTransfersTable {
  id: GeneratedAlways<bigint>;
  kind: string;
  subjectId: string;
  idempotencyKey: string;
  postedAt: Generated<Date>;
}

export interface LedgerUnsealedTable {
  transferId: bigint;
}

export interface MarketClockTable {
  onlyRow: Generated<boolean>;
  offsetMs: Generated<bigint>;
}

export interface PaymentAliasesTable {
  caip2: string;
  alias: string;
  reference: string | null;
  subjectId: string;
  claimedAt: Generated<Date>;
}

export interface PaymentClaimsTable {
  caip2: string;
  reference: string;
  purpose: 'order' | 'x402' | 'registration' | 'bounty' | 'earn' | 'wallet_funding' | 'refund';
  subjectId: string;
  payer: string;
  amountMicros: bigint;
  priceMicros: bigint;
  claimedAt: Generated<Date>;
}

export interface PayoutAttemptsTable {
  payoutId: string;
  number: number;
  reference: string;
  signedBytes: string;
  validity: string;
  state: Generated<'signed' | 'sent' | 'unknown' | 'confirmed' | 'expired' | 'failed'>;
  createdAt: Generated<Date>;
}

export interface PayoutsTable {
  id: string;
  purpose: 'payout' | 'refund' | 'surplus' | 'withdrawal';
  subjectId: string;
  network: string;
  destination: string;
  amountMicros: bigint;
  state: Generated<'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'parked' | 'void'>;
  reason: string | null;
  reference: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface RateLimitWindowsTable {
  endpoint: string;
  client: string;
  hits: number;
  endsAt: Date;
}

export interface SessionsTable {
  tokenHash: Buffer;
  wallet: string;
  chain: 'solana' | 'base';
  createdAt: Generated<Date>;
  expiresAt: Date;
}

export interface SpentSignaturesTable {
  digest: Buffer;
  wallet: string;
  expiresAt: Date;
}

export interface UserWalletsTable {
  id: WalletLinkId;
  userId: string;
  chain: 'solana' | 'base';
  address: string;
  isPrimary: Generated<boolean>;
  proof: 'idp' | 'signature';
  linkedAt: Generated<Date>;
}

export interface UsersTable {
  id: string;
  username: string;
  displayName: string | null;
  email: string | null;
  googleEmail: string | null;
  googleSubject: string | null;
  twitterUsername: string | null;
  twitterSubject: string | null;
  avatarUrl: string | null;
  bio: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface WalletProfilesTable {
  wallet: string;
  displayName: string | null;
  bio: string | null;
  avatarUrl: string | null;
  twitterHandle: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface Schema {
  agentFigures: AgentFiguresTable;
  agentWallets: AgentWalletsTable;
  agents: AgentsTable;
  bannedIdentities: BannedIdentitiesTable;
  chainCursors: ChainCursorsTable;
  chainReceipts: ChainReceiptsTable;
  events: EventsTable;
  idempotencyKeys: IdempotencyKeysTable;
  jobs: JobsTable;
  ledgerAccounts: LedgerAccountsTable;
  ledgerEntries: LedgerEntriesTable;
  ledgerSeals: LedgerSealsTable;
  ledgerTransfers: LedgerTransfersTable;
  ledgerUnsealed: LedgerUnsealedTable;
  marketClock: MarketClockTable;
  paymentAliases: PaymentAliasesTable;
  paymentClaims: PaymentClaimsTable;
  payoutAttempts: PayoutAttemptsTable;
  payouts: PayoutsTable;
  rateLimitWindows: RateLimitWindowsTable;
  sessions: SessionsTable;
  spentSignatures: SpentSignaturesTable;
  userWallets: UserWalletsTable;
  users: UsersTable;
  walletProfiles: WalletProfilesTable;
}
