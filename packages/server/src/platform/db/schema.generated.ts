// Generated from packages/server/migrations by `npm run generate`. Do not edit.
import type { AgentId, BountyClaimId, BountyId, BudgetId, ConnectionId, DeliverableId, DisputeId, MessageId, NotificationId, OrderId, ReviewId, SavedSearchId, ServiceId, SpendApprovalId, SpendingId, StatementId, UploadId, WalletLinkId } from '@market/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** Read as parsed JSON, written as text so that arrays are not mistaken for SQL arrays. */
type Json = ColumnType<unknown, string, string>;
type DefaultedJson = ColumnType<unknown, string | undefined, string>;
/** Whole numbers beyond 64 bits: read as text, which repositories turn into bigint. */
type Numeric = ColumnType<string, bigint, bigint>;
type DefaultedNumeric = ColumnType<string, bigint | undefined, bigint>;
type NullableNumeric = ColumnType<string | null, bigint | null | undefined, bigint | null>;

export interface AddressedSignaturesTable {
  digest: Buffer;
  expiresAt: Date;
}

export interface AdminActionsTable {
  id: GeneratedAlways<bigint>;
  admin: string;
  action: string;
  subjectId: string;
  reason: string | null;
  details: DefaultedJson;
  at: Generated<Date>;
}

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
  overdueOrders: Generated<number>;
  lateOrders: Generated<number>;
  settledOrders: Generated<number>;
  keptOrders: Generated<number>;
  timedOrders: Generated<number>;
  onTimeOrders: Generated<number>;
  disputesLost: Generated<number>;
  buyers: Generated<number>;
  repeatBuyers: Generated<number>;
  firstResponseSeconds: number | null;
  scoreWeight: Generated<number>;
  scoreGood: Generated<number>;
  score: GeneratedAlways<number | null>;
  completedWeight: Generated<number>;
  ratedWeight: Generated<number>;
  ratingPoints: Generated<number>;
  ratingRank: Generated<number>;
  countedAnewAt: Date | null;
  scoreBefore: number | null;
}

export interface AgentMintsTable {
  movementId: string;
  agentId: string;
  kind: 'token_launch' | 'said_identity';
  state: Generated<'open' | 'made' | 'failed'>;
  mint: string;
  sealedKey: string;
  name: string;
  symbol: string;
  uri: string;
  description: string;
  imageUrl: string | null;
  createdAt: Generated<Date>;
  words: Generated<string[]>;
}

export interface AgentMovementsTable {
  id: string;
  agentId: AgentId;
  frontedNative: bigint | null;
  notSentBefore: Generated<boolean>;
}

export interface AgentPayersTable {
  agentId: string;
  address: string;
  chain: 'solana' | 'base';
  provenOn: string[] | null;
  allowedAt: Generated<Date>;
  allowedBy: string;
}

export interface AgentPresenceTable {
  agentId: string;
  seenAt: Date;
}

export interface AgentRegistrationsTable {
  movementId: string;
  agentId: string;
  state: Generated<'open' | 'made' | 'failed'>;
  registry: string;
  uri: string;
  onchainId: string | null;
  createdAt: Generated<Date>;
  endedAt: Date | null;
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
  payoutChain: 'solana' | 'base' | null;
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
  ownerBanned: Generated<boolean>;
  previousWebhookSecretSealed: string | null;
  previousWebhookSecretUntil: Date | null;
  webhookExtendedRetries: Generated<boolean>;
  endpointSince: Date | null;
  pendingPayout: Json | null;
  pendingPayoutAt: Date | null;
  ownerProven: Generated<boolean>;
  payoutHeldSince: Date | null;
  tokenMode: 'pumpfun' | 'partner' | 'byot' | null;
  tokenCreatorWallet: string | null;
  tokenTxHash: string | null;
  tokenCreatedAt: Date | null;
  tokenLaunchAttemptedAt: Date | null;
  saidPda: string | null;
  saidTxHash: string | null;
  erc8004Registry: string | null;
  erc8004AgentId: string | null;
  ownerConflict: Generated<boolean>;
  createdBy: Generated<string[]>;
  stopsWith: string | null;
  ownedSinceRestore: Date | null;
  payoutWalletSignedAt: Date | null;
  payoutAddressBaseSignedAt: Date | null;
  twitterShown: Generated<boolean>;
  closedAt: Date | null;
  tokenNamedBy: 'mint' | 'owner' | null;
  tokenReadAt: Date | null;
  tokenWords: Generated<string[]>;
}

export interface BannedIdentitiesTable {
  kind: 'idp' | 'email' | 'twitter' | 'wallet' | 'ip';
  value: string;
  reason: string | null;
  createdAt: Generated<Date>;
}

export interface BarePresentationsTable {
  caip2: string;
  reference: string;
  payer: string;
  subjectId: string | null;
  answerName: string | null;
  presentedAt: Generated<Date>;
  endedAt: Date | null;
  endedBy: 'proof' | 'vouched' | null;
}

export interface BountiesTable {
  id: BountyId;
  userId: string | null;
  clientWallet: string;
  title: string;
  brief: string;
  category: string;
  budgetMicros: bigint;
  deadlineHours: number;
  claimWindowHours: number;
  referenceUrls: Generated<string[]>;
  referenceImages: Generated<string[]>;
  status: Generated<'open' | 'claimed' | 'completed' | 'expired' | 'cancelled' | 'disputed'>;
  orderId: OrderId;
  acceptedClaimId: BountyClaimId | null;
  claimsCount: Generated<number>;
  expiresAt: Date;
  completedAt: Date | null;
  cancelledAt: Date | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  search: GeneratedAlways<string>;
  mode: Generated<'open' | 'pitch'>;
  posterBanned: Generated<boolean>;
  claimStakeMicros: Generated<bigint>;
  heldAt: Date | null;
  takenDownAt: Date | null;
  openDays: number | null;
}

export interface BountyClaimsTable {
  id: BountyClaimId;
  bountyId: BountyId;
  agentId: AgentId;
  message: string | null;
  status: Generated<'pending' | 'invited' | 'accepted' | 'rejected' | 'withdrawn' | 'lapsed'>;
  claimedAt: Generated<Date>;
  decidedAt: Date | null;
  invitedAt: Date | null;
  stakeId: string | null;
  lapsesAt: Date;
  heldAt: Date | null;
}

export interface BountyStakesTable {
  id: string;
  claimId: string;
  network: string;
  reference: string;
  payer: string;
  amountMicros: bigint;
  status: Generated<'held' | 'returned' | 'forfeited'>;
  paidAt: Date;
  decidedAt: Date | null;
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
  notes: Generated<string[]>;
}

export interface ClosingTransactionsTable {
  writer: string;
  at: Generated<Date>;
}

export interface ConnectedProgramsTable {
  id: string;
  person: string;
  clientId: string;
  createdAt: Generated<Date>;
}

export interface ConnectionsTable {
  id: ConnectionId;
  person: string;
  walletChain: 'solana' | 'base' | null;
  provenOn: string[] | null;
  clientId: string;
  clientName: string;
  clientUri: string | null;
  redirectHost: string;
  scopes: string[];
  agentId: AgentId | null;
  createdAt: Generated<Date>;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  expiresAt: Date;
  programId: string;
  tokensEndedAt: Date | null;
}

export interface CountedBuyersTable {
  buyer: string;
}

export interface CountedOrdersTable {
  orderId: string;
  agentId: string;
  serviceId: string | null;
  totalOrders: Generated<number>;
  completedOrders: Generated<number>;
  revenueMicros: Generated<bigint>;
  ratingSum: Generated<number>;
  ratingCount: Generated<number>;
  overdueOrders: Generated<number>;
  lateOrders: Generated<number>;
  buyer: string | null;
  settledOrders: Generated<number>;
  keptOrders: Generated<number>;
  goodOrders: Generated<number>;
  timedOrders: Generated<number>;
  onTimeOrders: Generated<number>;
  disputesLost: Generated<number>;
  responseSeconds: number | null;
  endedAt: Date | null;
  weight: Generated<number>;
}

export interface CreatorFeeClaimsTable {
  id: string;
  share: 'agent' | 'partner' | 'buyback';
  agentId: AgentId | null;
  mint: string | null;
  feeReserveLamports: bigint;
  networkFeeLamports: bigint | null;
  createdBy: string;
  paidAt: Date | null;
}

export interface CreatorFeePayoutsTable {
  id: string;
  share: 'agent' | 'partner' | 'buyback';
  agentId: AgentId | null;
  mint: string | null;
  recipientWallet: string;
  lamports: bigint;
  feeReserveLamports: bigint;
  networkFeeLamports: bigint | null;
  state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'failed';
  reason: string | null;
  reference: string | null;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  paidAt: Date | null;
}

export interface CreatorFeeProgressTable {
  onlyOne: Generated<boolean>;
  cursor: string | null;
}

export interface CreatorFeeReceiptsTable {
  reference: string;
  lamports: bigint;
  mint: string | null;
  agentId: AgentId | null;
  path: 'partner' | 'legacy' | null;
  agentLamports: Generated<bigint>;
  partnerLamports: Generated<bigint>;
  buybackLamports: Generated<bigint>;
  blockTime: Date;
  bookedAt: Generated<Date>;
  part: Generated<number>;
}

export interface CredentialChangesTable {
  id: GeneratedAlways<bigint>;
  subject: string;
  changedAt: Generated<Date>;
}

export interface DailyFiguresTable {
  day: Date;
  network: string;
  category: string;
  kind: string;
  placed: bigint;
  paid: bigint;
  paidMicros: bigint;
  paidFeeMicros: bigint;
  completed: bigint;
  cancelled: bigint;
  releasedMicros: bigint;
  feeMicros: bigint;
  refundedMicros: bigint;
}

export interface DataVersionsTable {
  slot: GeneratedAlways<bigint>;
  tableName: string;
  changes: Generated<bigint>;
}

export interface DelayedMovesTable {
  id: string;
  kind: 'wallet_send' | 'key_export' | 'withdraw_address' | 'earn_withdrawal' | 'account_closing' | 'agent_closing';
  owner: string;
  agentId: string | null;
  topic: string | null;
  summary: string;
  payload: Json;
  requestedBy: string;
  state: Generated<'waiting' | 'ready' | 'done' | 'cancelled' | 'failed'>;
  reason: string | null;
  resultId: string | null;
  effectiveAt: Date;
  readyUntil: Date | null;
  place: Generated<string>;
  createdAt: Generated<Date>;
  endedAt: Date | null;
}

export interface DeliverablesTable {
  id: DeliverableId;
  orderId: OrderId;
  round: number;
  position: Generated<number>;
  prompt: Generated<string>;
  url: string | null;
  mediaType: 'image' | 'video' | 'link' | 'document' | 'code' | 'text' | null;
  content: string | null;
  uploadId: string | null;
  status: 'pending' | 'generating' | 'completed' | 'failed' | 'superseded';
  error: string | null;
  isRequest: Generated<boolean>;
  answerBy: Date | null;
  createdAt: Generated<Date>;
  answeredAt: Date | null;
}

export interface DemoContentTable {
  oneRow: Generated<boolean>;
  sealedSeed: string;
  completedAt: Date | null;
  createdAt: Generated<Date>;
}

export interface DisputeStatementsTable {
  id: StatementId;
  disputeId: DisputeId;
  side: 'buyer' | 'provider';
  author: string;
  statement: string;
  evidenceUrls: Generated<string[]>;
  createdAt: Generated<Date>;
}

export interface DisputesTable {
  id: DisputeId;
  orderId: OrderId;
  openedBy: 'buyer' | 'system';
  reason: string;
  state: Generated<'open' | 'ruled' | 'withdrawn' | 'refunded'>;
  evidenceUntil: Date;
  rulingDue: Date;
  ruling: 'release' | 'refund' | 'split' | null;
  rulingReason: string | null;
  refundMicros: bigint | null;
  ruledBy: string | null;
  openedAt: Generated<Date>;
  closedAt: Date | null;
}

export interface EarnAgentDepositsTable {
  movementId: string;
  agentId: string;
  vaultKey: string;
  amountMicros: bigint;
  slippageBps: number;
  bySweep: Generated<boolean>;
  depositId: string | null;
  state: Generated<'open' | 'registered' | 'failed'>;
  reason: string | null;
  createdAt: Generated<Date>;
}

export interface EarnDepositsTable {
  id: string;
  vaultKey: string;
  ownerKind: 'agent' | 'user' | 'wallet';
  ownerId: string;
  network: string;
  reference: string;
  payer: string;
  amountMicros: bigint;
  slippageBps: number;
  status: Generated<'received' | 'deploying' | 'deployed' | 'refunding' | 'refunded' | 'held'>;
  reason: string | null;
  units: NullableNumeric;
  shares: NullableNumeric;
  deployReference: string | null;
  refundReference: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  settledAt: Date | null;
}

export interface EarnHarvestsTable {
  id: GeneratedAlways<bigint>;
  vaultKey: string;
  foundUnits: Numeric;
  units: Numeric;
  vestedUnits: DefaultedNumeric;
  beganAt: Date;
  endsAt: Date;
  recognisedAt: Generated<Date>;
  endedAt: Date | null;
}

export interface EarnIntentsTable {
  id: string;
  kind: 'deposit' | 'redeem' | 'allow';
  vaultKey: string;
  subjectId: string;
  network: string;
  router: string;
  venue: string;
  assets: bigint | null;
  units: NullableNumeric;
  minOut: NullableNumeric;
  state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'failed';
  reason: string | null;
  reference: string | null;
  resultAssets: bigint | null;
  resultUnits: NullableNumeric;
  createdAt: Date;
  updatedAt: Date;
  queueNumber: bigint | null;
}

export interface EarnMovementsTable {
  id: GeneratedAlways<bigint>;
  vaultKey: string;
  ownerKind: 'agent' | 'user' | 'wallet' | null;
  ownerId: string | null;
  kind: 'deposit' | 'withdraw' | 'withdraw_settled' | 'refund' | 'harvest' | 'vest' | 'harvest_ended' | 'loss';
  shares: DefaultedNumeric;
  units: DefaultedNumeric;
  queuedUnits: DefaultedNumeric;
  principalMicros: Generated<bigint>;
  micros: Generated<bigint>;
  subjectId: string | null;
  at: Generated<Date>;
  unvestedUnits: DefaultedNumeric;
}

export interface EarnPartsTable {
  id: string;
  withdrawalId: string;
  number: number;
  units: Numeric;
  assetsMicros: bigint;
  intentId: string;
  payoutId: string | null;
  paidReference: string | null;
  createdAt: Generated<Date>;
}

export interface EarnPositionsTable {
  vaultKey: string;
  ownerKind: 'agent' | 'user' | 'wallet';
  ownerId: string;
  shares: Numeric;
  principalMicros: bigint;
  updatedAt: Generated<Date>;
}

export interface EarnSamplesTable {
  vaultKey: string;
  at: Date;
  pricePerUnit: Numeric;
  unitDecimals: number;
  sharePrice: Numeric;
  totalAssets: Numeric;
  totalUnits: Numeric;
  freeAssets: Numeric;
  paused: Generated<boolean>;
  aprPct: number | null;
}

export interface EarnSweepsTable {
  agentId: string;
  vaultKey: string;
  aboveMicros: bigint;
  dailyLimitMicros: bigint;
  enabled: boolean;
  setBy: string;
  lastProblem: string | null;
  updatedAt: Generated<Date>;
}

export interface EarnVaultsTable {
  key: string;
  venue: string;
  market: string;
  network: string;
  strategy: 'lending' | 'liquidity_provision';
  venueAddress: string;
  totalShares: DefaultedNumeric;
  totalUnits: DefaultedNumeric;
  queuedUnits: DefaultedNumeric;
  depositsOpen: Generated<boolean>;
  impairedAt: Date | null;
  unitsMissing: DefaultedNumeric;
  version: Generated<bigint>;
  createdAt: Generated<Date>;
  unvestedUnits: DefaultedNumeric;
}

export interface EarnWithdrawalsTable {
  id: string;
  queueNumber: GeneratedAlways<bigint>;
  vaultKey: string;
  ownerKind: 'agent' | 'user' | 'wallet';
  ownerId: string;
  shares: Numeric;
  units: Numeric;
  unitsSpread: DefaultedNumeric;
  unitsLeft: Numeric;
  principalMicros: bigint;
  destination: string;
  slippageBps: number;
  status: Generated<'queued' | 'redeeming' | 'paying' | 'settled'>;
  reason: string | null;
  receivedMicros: Generated<bigint>;
  paidMicros: Generated<bigint>;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  settledAt: Date | null;
  refusals: Generated<number>;
  takesMore: Generated<boolean>;
}

export interface EventCountersTable {
  reader: string;
  lastSeq: bigint;
}

export interface EventQueueTable {
  follower: string;
  eventId: bigint;
}

export interface EventReadersTable {
  reader: string;
  xid: Generated<string>;
  eventId: bigint;
  seq: bigint | null;
}

export interface EventsTable {
  id: GeneratedAlways<bigint>;
  type: string;
  subjectId: string;
  data: DefaultedJson;
  createdAt: Generated<Date>;
  agentId: string | null;
  context: DefaultedJson;
  agentSeq: bigint | null;
}

export interface FiguresProgressTable {
  oneRow: Generated<boolean>;
  openDay: Date;
  buyers: Generated<bigint>;
}

export interface FoundOutflowsTable {
  holder: string;
  network: string;
  reference: string;
  position: number;
  intentKey: string | null;
  asset: 'usdc' | 'native';
  destination: string | null;
  amount: Numeric;
  takenBy: string | null;
  foundAt: Generated<Date>;
}

export interface HiddenPortfolioTable {
  agentId: AgentId;
  sourceType: 'order' | 'deliverable';
  sourceId: string;
  hiddenAt: Generated<Date>;
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

export interface KnownPlaceTable {
  onlyRow: Generated<boolean>;
  place: string;
  notedAt: Generated<Date>;
  restoredAt: Date | null;
  profile: 'sandbox' | 'production' | null;
}

export interface LedgerAccountsTable {
  id: GeneratedAlways<bigint>;
  kind: 'treasury' | 'interchain' | 'unmatched' | 'escrow' | 'agent_payable' | 'refund_payable' | 'surplus_payable' | 'platform_fee' | 'in_flight' | 'earn_pool' | 'earn_payable' | 'unbooked' | 'creator_fee_agent' | 'creator_fee_partner' | 'creator_fee_buyback' | 'creator_fee_float' | 'creator_fee_in_flight' | 'earn_deposit';
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

export interface MessageReadsTable {
  orderId: OrderId;
  side: 'client' | 'agent';
  lastNumber: number;
  readAt: Generated<Date>;
}

export interface NotificationsTable {
  id: NotificationId;
  eventId: bigint;
  userId: string | null;
  wallet: string | null;
  agentId: string | null;
  type: string;
  title: string;
  body: string;
  orderId: OrderId | null;
  readAt: Date | null;
  createdAt: Generated<Date>;
  link: string | null;
  collapsed: 'unpaid' | 'claims' | 'dust' | 'refused' | 'payers' | null;
  count: Generated<number>;
  eventIds: string[] | null;
}

export interface OauthClientsTable {
  id: string;
  metadata: Json;
  registeredAt: Generated<Date>;
  expiresAt: Date;
}

export interface OauthRecordsTable {
  id: Generated<string>;
  kind: string;
  lookupHash: Buffer;
  sealed: string;
  connectionId: string | null;
  consumedAt: Date | null;
  expiresAt: Date;
}

export interface OauthSigningKeysTable {
  id: string;
  sealedKey: string;
  createdAt: Generated<Date>;
}

export interface OnchainFeedbackTable {
  fileHash: string;
  file: string;
  uri: string;
  reviewId: string;
  orderId: string;
  agentId: string;
  registry: string;
  agentRegistry: string;
  onchainId: string;
  clientWallet: string;
  value: number;
  state: Generated<'prepared' | 'sent' | 'published'>;
  txHash: string | null;
  feedbackIndex: bigint | null;
  createdAt: Generated<Date>;
  sentAt: Date | null;
  publishedAt: Date | null;
}

export interface OrderMessagesTable {
  id: MessageId;
  orderId: OrderId;
  number: number;
  senderType: 'client' | 'agent';
  senderId: string;
  senderName: string;
  userId: string | null;
  content: string;
  createdAt: Generated<Date>;
}

export interface OrderStepsTable {
  orderId: OrderId;
  number: number;
  command: string;
  fromStatus: string | null;
  toStatus: string;
  actorRole: 'buyer' | 'provider' | 'admin' | 'system';
  actor: string;
  note: string | null;
  at: Generated<Date>;
}

export interface OrderTokensTable {
  tokenHash: Buffer;
  orderId: OrderId;
  createdAt: Generated<Date>;
  readsOnly: Generated<boolean>;
  expiresAt: Date;
  endedAt: Date | null;
  holder: Generated<'payer' | 'presenter'>;
  connectionId: string | null;
}

export interface OrdersTable {
  id: OrderId;
  kind: Generated<'standard' | 'machine' | 'bounty'>;
  serviceId: ServiceId | null;
  bountyId: BountyId | null;
  providerAgentId: AgentId;
  clientAgentId: AgentId | null;
  clientWallet: string | null;
  userId: string | null;
  relatedParty: Generated<boolean>;
  serviceTitle: string;
  category: string | null;
  priceType: 'fixed' | 'quote' | 'weekly' | 'monthly';
  turnaroundHours: number;
  maxRevisions: number;
  quotaTotal: Generated<number>;
  brief: string;
  referenceUrls: Generated<string[]>;
  referenceImages: Generated<string[]>;
  requirementAnswers: Json | null;
  status: 'pending_quote' | 'quoted' | 'accepted' | 'paid' | 'in_progress' | 'delivered' | 'completed' | 'revision_requested' | 'disputed' | 'cancelled';
  revisionCount: Generated<number>;
  extraRevisions: Generated<number>;
  quotaUsed: Generated<number>;
  priceMicros: bigint | null;
  feeMicros: bigint | null;
  settlement: Generated<'on_approval' | 'instant'>;
  paymentMethod: string | null;
  paymentNetwork: string | null;
  payer: string | null;
  paymentReference: string | null;
  paidMicros: Generated<bigint>;
  quotedAt: Date | null;
  paidAt: Date | null;
  dueAt: Date | null;
  deliveryDeadline: Date | null;
  workspaceEndsAt: Date | null;
  deliveredAt: Date | null;
  reviewDeadline: Date | null;
  revisionDeadline: Date | null;
  completedAt: Date | null;
  cancelledAt: Date | null;
  allowPortfolio: Generated<boolean>;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  overdueSince: Date | null;
  overdueClearedAt: Date | null;
  quoteLengthened: Generated<boolean>;
}

export interface OutflowCursorsTable {
  holder: string;
  cursor: string;
  place: string;
  checkedAt: Generated<Date>;
}

export interface OutflowGateTable {
  onlyRow: Generated<boolean>;
  reason: string | null;
  changedAt: Generated<Date>;
}

export interface OutgoingAttemptsTable {
  intentId: string;
  number: number;
  reference: string;
  signedBytes: string;
  validity: string;
  state: Generated<'signed' | 'sent' | 'unknown' | 'confirmed' | 'expired' | 'failed' | 'replaced'>;
  rentLamports: Generated<bigint>;
  createdAt: Generated<Date>;
}

export interface OutgoingIntentsTable {
  id: string;
  purpose: 'payout' | 'refund' | 'surplus' | 'withdrawal' | 'earn_refund' | 'earn_withdrawal' | 'send' | 'withdraw' | 'token_launch' | 'said_identity' | 'agent_registration' | 'earn_deposit' | 'creator_fee' | 'venue_deposit' | 'venue_redeem' | 'venue_allow';
  subjectId: string;
  network: string;
  destination: string;
  amount: bigint | null;
  state: Generated<'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'parked' | 'void' | 'failed'>;
  reason: string | null;
  reference: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  parkedFor: string | null;
  payer: Generated<string>;
  asset: Generated<'usdc' | 'native'>;
}

export interface PartedWalletsTable {
  hash: Buffer;
  partedAt: Generated<Date>;
}

export interface PausedAgentsTable {
  agentId: string;
  active: boolean;
  endpointUrl: string | null;
  pausedAt: Generated<Date>;
}

export interface PaymentAliasesTable {
  caip2: string;
  alias: string;
  reference: string | null;
  subjectId: string;
  claimedAt: Generated<Date>;
}

export interface PaymentClaimMovesTable {
  caip2: string;
  reference: string;
  number: number;
  fromPurpose: string;
  fromSubjectId: string;
  fromPriceMicros: bigint;
  contestableUntil: Date;
  toPurpose: string;
  toSubjectId: string;
  toPriceMicros: bigint;
  proof: 'payment' | 'wallet' | 'reference';
  claimedAt: Date;
  movedAt: Generated<Date>;
}

export interface PaymentClaimsTable {
  caip2: string;
  reference: string;
  purpose: 'order' | 'x402' | 'registration' | 'bounty' | 'claim_stake' | 'earn' | 'earn_deposit' | 'earn_return' | 'wallet_funding' | 'refund';
  subjectId: string;
  payer: string;
  amountMicros: bigint;
  priceMicros: bigint;
  claimedAt: Generated<Date>;
  number: GeneratedAlways<bigint>;
  proof: 'payment' | 'wallet' | 'reference' | 'bare' | 'operator' | 'earlier';
  contestableUntil: Date | null;
}

export interface PayoutsTable {
  id: string;
  purpose: 'payout' | 'refund' | 'surplus' | 'withdrawal' | 'earn_refund' | 'earn_withdrawal';
  subjectId: string;
  network: string;
  destination: string;
  amountMicros: bigint;
  state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'parked' | 'void';
  reason: string | null;
  reference: string | null;
  createdAt: Date;
  updatedAt: Date;
  parkedFor: string | null;
}

export interface RateLimitWindowsTable {
  endpoint: string;
  client: string;
  hits: number;
  endsAt: Date;
}

export interface RetiredNamesTable {
  hash: Buffer;
  retiredAt: Generated<Date>;
}

export interface ReviewsTable {
  id: ReviewId;
  orderId: OrderId;
  serviceId: ServiceId | null;
  agentId: AgentId;
  reviewerId: string;
  reviewerName: string;
  userId: string | null;
  rating: number;
  comment: string | null;
  createdAt: Generated<Date>;
  paymentNetwork: string;
  paymentReference: string;
  paidAt: Date;
  onchainTxHash: string | null;
  onchainAt: Date | null;
}

export interface SavedSearchesTable {
  id: SavedSearchId;
  owner: string;
  list: 'services' | 'bounties';
  name: string;
  filters: string;
  createdAt: Generated<Date>;
  lookedUntil: Date;
  nextLookAt: Date;
  lastMatchAt: Date | null;
  matches: Generated<number>;
}

export interface SearchWordsTable {
  word: string;
}

export interface SeenSignaturesTable {
  digest: Buffer;
  callHash: Buffer;
  transfer: string | null;
  expiresAt: Date;
}

export interface ServicesTable {
  id: ServiceId;
  agentId: AgentId;
  slug: string;
  category: 'image_gen' | 'video_gen' | 'ugc' | 'influencer' | 'brand_content' | 'coding' | 'analytics' | 'seo' | 'trading' | 'automation' | 'consulting' | 'custom';
  title: string;
  description: string;
  priceMicros: bigint;
  priceType: 'fixed' | 'quote' | 'weekly' | 'monthly';
  turnaroundHours: number;
  deliverables: Generated<string[]>;
  demoUrl: string | null;
  active: Generated<boolean>;
  quotaLimit: Generated<number>;
  maxRevisions: Generated<number>;
  requirementFields: Json | null;
  briefPlaceholder: string | null;
  reviewSummary: string | null;
  providerModel: string | null;
  moderationStatus: Generated<'ok' | 'review' | 'spam'>;
  moderationReason: string | null;
  totalOrders: Generated<number>;
  completedOrders: Generated<number>;
  ratingSum: Generated<number>;
  ratingCount: Generated<number>;
  rating: GeneratedAlways<number>;
  agentName: Generated<string>;
  agentListed: Generated<boolean>;
  listed: GeneratedAlways<boolean>;
  search: GeneratedAlways<string>;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  previousPriceMicros: bigint | null;
  priceChangedAt: Date | null;
  changeNumber: Generated<bigint>;
  offeredSince: Generated<Date>;
  previousOfferedSince: Date | null;
  settledOrders: Generated<number>;
  keptOrders: Generated<number>;
  timedOrders: Generated<number>;
  onTimeOrders: Generated<number>;
  disputesLost: Generated<number>;
  buyers: Generated<number>;
  repeatBuyers: Generated<number>;
  firstResponseSeconds: number | null;
  scoreWeight: Generated<number>;
  scoreGood: Generated<number>;
  score: GeneratedAlways<number | null>;
  agentChain: Generated<string>;
  listedAt: Date | null;
  previousTerms: Json | null;
  completedWeight: Generated<number>;
  ratedWeight: Generated<number>;
  ratingPoints: Generated<number>;
  ratingRank: Generated<number>;
  countedAnewAt: Date | null;
  scoreBefore: number | null;
}

export interface SessionsTable {
  tokenHash: Buffer;
  wallet: string;
  chain: 'solana' | 'base';
  createdAt: Generated<Date>;
  expiresAt: Date;
  provenOn: string[] | null;
  byAction: Generated<boolean>;
}

export interface SettlementsTable {
  orderId: OrderId;
  outcome: 'payout' | 'refund' | 'split';
  agentMicros: bigint;
  feeMicros: bigint;
  refundMicros: bigint;
  at: Generated<Date>;
}

export interface SpendApprovalsTable {
  id: SpendApprovalId;
  principal: string;
  operation: string;
  callHash: Buffer;
  amountMicros: bigint;
  providerAgentId: AgentId | null;
  category: string | null;
  about: string | null;
  sentence: string;
  askedOf: string[];
  status: Generated<'waiting' | 'approved' | 'declined' | 'used'>;
  spendingId: SpendingId | null;
  createdAt: Generated<Date>;
  expiresAt: Date;
  decidedAt: Date | null;
  decidedBy: string | null;
  deciders: string[];
}

export interface SpendBudgetsTable {
  id: BudgetId;
  owner: string;
  label: string | null;
  amountMicros: bigint;
  expiresAt: Date;
  closedAt: Date | null;
  createdAt: Generated<Date>;
}

export interface SpendPoliciesTable {
  subjectKind: 'agent' | 'connection' | 'account';
  subjectId: string;
  perOrderMicros: bigint | null;
  perDayMicros: bigint | null;
  perProviderDayMicros: bigint | null;
  perCategoryDayMicros: bigint | null;
  allowAgents: Generated<string[]>;
  blockAgents: Generated<string[]>;
  allowCategories: Generated<string[]>;
  blockCategories: Generated<string[]>;
  approveAboveMicros: bigint | null;
  frozen: Generated<boolean>;
  updatedAt: Generated<Date>;
}

export interface SpendingSubjectsTable {
  spendingId: SpendingId;
  subjectKind: 'agent' | 'connection' | 'account';
  subjectId: string;
  createdAt: Generated<Date>;
}

export interface SpendingsTable {
  id: SpendingId;
  principal: string;
  operation: string;
  reference: string;
  about: string | null;
  amountMicros: bigint;
  providerAgentId: AgentId | null;
  category: string | null;
  status: 'reserved' | 'kept' | 'released' | 'refused' | 'asked';
  holders: Generated<number>;
  rule: string | null;
  sentence: string;
  boughtKind: string | null;
  boughtId: string | null;
  budgetId: BudgetId | null;
  approvalId: SpendApprovalId | null;
  createdAt: Generated<Date>;
  settledAt: Date | null;
  callHash: Buffer | null;
}

export interface SpentSignaturesTable {
  digest: Buffer;
  wallet: string;
  expiresAt: Date;
}

export interface SubjectBuyersTable {
  subject: string;
  buyer: string;
  keptOrders: Generated<number>;
}

export interface SubjectPeriodsTable {
  subject: string;
  buyer: string;
  period: number;
  settled: number;
  good: number;
  completed: number;
  rated: number;
  points: number;
}

export interface SwapOrdersTable {
  id: string;
  userId: string;
  taker: string;
  receiver: string;
  amountMicros: bigint;
  outLamports: bigint;
  leastLamports: bigint;
  venueRequest: string;
  messageHash: Buffer;
  signedTransaction: string | null;
  state: Generated<'quoted' | 'executing' | 'done' | 'failed'>;
  signature: string | null;
  reason: string | null;
  createdAt: Generated<Date>;
  expiresAt: Date;
}

export interface TokenPricesTable {
  mint: string;
  at: Date;
  pricePicoUsd: bigint;
}

export interface TreasuryReadingsTable {
  network: string;
  heldMicros: bigint;
  escrowMicros: bigint;
  agentsMicros: bigint;
  refundsMicros: bigint;
  surplusMicros: bigint;
  unmatchedMicros: bigint;
  inFlightMicros: bigint;
  ownMicros: bigint;
  readAt: Date;
  earnMicros: Generated<bigint>;
}

export interface UnbookedOutflowsTable {
  network: string;
  reference: string;
  position: number;
  intentKey: string | null;
  destination: string;
  amountMicros: bigint;
  foundAt: Generated<Date>;
  intentId: string | null;
}

export interface UndoneLinksTable {
  userId: string;
  chain: 'solana' | 'base';
  address: string;
  byAccount: boolean;
  undoneAt: Generated<Date>;
}

export interface UploadAttachmentsTable {
  uploadId: UploadId;
  subjectId: string;
  createdAt: Generated<Date>;
}

export interface UploadsTable {
  id: UploadId;
  storageKey: string;
  state: Generated<'storing' | 'ready' | 'removing'>;
  purpose: 'deliverable' | 'brief_image';
  visibility: Generated<'private' | 'public'>;
  agentId: AgentId | null;
  userId: string | null;
  wallet: string | null;
  contentType: string;
  mediaType: 'image' | 'video' | 'document' | 'text' | 'code';
  sizeBytes: number;
  sha256: string;
  fileName: string;
  width: number | null;
  height: number | null;
  previewKey: string | null;
  previewSizeBytes: number | null;
  attached: Generated<boolean>;
  createdAt: Generated<Date>;
}

export interface UserWalletsTable {
  id: WalletLinkId;
  userId: string;
  chain: 'solana' | 'base';
  address: string;
  isPrimary: Generated<boolean>;
  proof: 'idp' | 'signature';
  linkedAt: Generated<Date>;
  confirmedAt: Date | null;
  provenOn: string[] | null;
  shown: Generated<boolean>;
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
  providerName: string | null;
  providerAvatarUrl: string | null;
  profileSavedAt: Date | null;
  showsTwitter: Generated<boolean>;
  closedAt: Date | null;
}

export interface VenueCallsTable {
  id: string;
  kind: 'deposit' | 'redeem' | 'allow';
  vaultKey: string;
  venue: string;
  units: NullableNumeric;
  minOut: NullableNumeric;
  resultAssets: bigint | null;
  resultUnits: NullableNumeric;
  queueNumber: bigint | null;
}

export interface WalletLogTable {
  id: GeneratedAlways<bigint>;
  agentId: string;
  at: Generated<Date>;
  action: 'send' | 'withdraw' | 'token_launch' | 'said_identity' | 'agent_registration' | 'earn_deposit' | 'withdraw_address_requested' | 'withdraw_address_changed' | 'key_exported';
  orderedBy: 'owner_account' | 'owner_wallet' | 'agent_key';
  network: string | null;
  address: string | null;
  effectiveAt: Date | null;
  movementId: string | null;
}

export interface WalletMovementsTable {
  id: string;
  agentId: AgentId;
  purpose: 'send' | 'withdraw' | 'token_launch' | 'said_identity' | 'agent_registration' | 'earn_deposit';
  network: string;
  wallet: string;
  destination: string;
  asset: 'usdc' | 'native';
  amount: bigint;
  state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'failed';
  reason: string | null;
  reference: string | null;
  frontedNative: bigint | null;
  createdAt: Date;
  updatedAt: Date;
  notSentBefore: boolean;
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

export interface WalletProofsTable {
  address: string;
  how: 'signature' | 'session' | 'link' | 'owner' | 'order' | 'bounty' | 'stake' | 'deposit' | 'connection' | 'payment';
  at: Generated<Date>;
}

export interface WebhookAttemptsTable {
  agentId: string;
  agentSeq: bigint;
  number: number;
  at: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  url: string | null;
  signature: string | null;
  answer: string | null;
  endsAs: 'delivered' | 'failed' | 'dropped' | null;
}

export interface WebhookDeliveriesTable {
  id: string;
  agentId: string;
  agentSeq: bigint;
  eventId: bigint;
  event: string;
  orderId: string | null;
  body: string;
  isTest: Generated<boolean>;
  redeliveries: Generated<number>;
  createdAt: Generated<Date>;
}

export interface WebhookLanesTable {
  agentId: string;
  leaseNumber: Generated<number>;
  leaseUntil: Date | null;
}

export interface WebhookQueueTable {
  agentId: string;
  agentSeq: bigint;
  attempts: Generated<number>;
  tries: Generated<number>;
  nextAt: Date | null;
}

export interface WithdrawAddressesTable {
  agentId: string;
  kind: 'solana' | 'evm';
  address: string | null;
  updatedAt: Generated<Date>;
}

export interface X402PaymentsTable {
  caip2: string;
  alias: string;
  network: string;
  state: Generated<'settling' | 'unknown' | 'settled' | 'failed'>;
  purpose: 'x402' | 'registration';
  subjectId: string;
  fingerprint: Buffer;
  request: Json;
  version: number;
  payload: Json;
  requirement: Json;
  amountMicros: bigint;
  payer: string;
  transaction: string | null;
  signedBytes: string | null;
  reason: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
  identifier: string | null;
}

export interface X402PurchasesTable {
  caip2: string;
  reference: string;
  subjectId: string;
  fingerprint: Buffer;
  sealedAnswer: string;
  createdAt: Generated<Date>;
  purpose: 'x402' | 'registration';
  payer: string;
  toldAt: Date | null;
}

export interface Schema {
  addressedSignatures: AddressedSignaturesTable;
  adminActions: AdminActionsTable;
  agentFigures: AgentFiguresTable;
  agentMints: AgentMintsTable;
  agentMovements: AgentMovementsTable;
  agentPayers: AgentPayersTable;
  agentPresence: AgentPresenceTable;
  agentRegistrations: AgentRegistrationsTable;
  agentWallets: AgentWalletsTable;
  agents: AgentsTable;
  bannedIdentities: BannedIdentitiesTable;
  barePresentations: BarePresentationsTable;
  bounties: BountiesTable;
  bountyClaims: BountyClaimsTable;
  bountyStakes: BountyStakesTable;
  chainCursors: ChainCursorsTable;
  chainReceipts: ChainReceiptsTable;
  closingTransactions: ClosingTransactionsTable;
  connectedPrograms: ConnectedProgramsTable;
  connections: ConnectionsTable;
  countedBuyers: CountedBuyersTable;
  countedOrders: CountedOrdersTable;
  creatorFeeClaims: CreatorFeeClaimsTable;
  creatorFeePayouts: CreatorFeePayoutsTable;
  creatorFeeProgress: CreatorFeeProgressTable;
  creatorFeeReceipts: CreatorFeeReceiptsTable;
  credentialChanges: CredentialChangesTable;
  dailyFigures: DailyFiguresTable;
  dataVersions: DataVersionsTable;
  delayedMoves: DelayedMovesTable;
  deliverables: DeliverablesTable;
  demoContent: DemoContentTable;
  disputeStatements: DisputeStatementsTable;
  disputes: DisputesTable;
  earnAgentDeposits: EarnAgentDepositsTable;
  earnDeposits: EarnDepositsTable;
  earnHarvests: EarnHarvestsTable;
  earnIntents: EarnIntentsTable;
  earnMovements: EarnMovementsTable;
  earnParts: EarnPartsTable;
  earnPositions: EarnPositionsTable;
  earnSamples: EarnSamplesTable;
  earnSweeps: EarnSweepsTable;
  earnVaults: EarnVaultsTable;
  earnWithdrawals: EarnWithdrawalsTable;
  eventCounters: EventCountersTable;
  eventQueue: EventQueueTable;
  eventReaders: EventReadersTable;
  events: EventsTable;
  figuresProgress: FiguresProgressTable;
  foundOutflows: FoundOutflowsTable;
  hiddenPortfolio: HiddenPortfolioTable;
  idempotencyKeys: IdempotencyKeysTable;
  jobs: JobsTable;
  knownPlace: KnownPlaceTable;
  ledgerAccounts: LedgerAccountsTable;
  ledgerEntries: LedgerEntriesTable;
  ledgerSeals: LedgerSealsTable;
  ledgerTransfers: LedgerTransfersTable;
  ledgerUnsealed: LedgerUnsealedTable;
  marketClock: MarketClockTable;
  messageReads: MessageReadsTable;
  notifications: NotificationsTable;
  oauthClients: OauthClientsTable;
  oauthRecords: OauthRecordsTable;
  oauthSigningKeys: OauthSigningKeysTable;
  onchainFeedback: OnchainFeedbackTable;
  orderMessages: OrderMessagesTable;
  orderSteps: OrderStepsTable;
  orderTokens: OrderTokensTable;
  orders: OrdersTable;
  outflowCursors: OutflowCursorsTable;
  outflowGate: OutflowGateTable;
  outgoingAttempts: OutgoingAttemptsTable;
  outgoingIntents: OutgoingIntentsTable;
  partedWallets: PartedWalletsTable;
  pausedAgents: PausedAgentsTable;
  paymentAliases: PaymentAliasesTable;
  paymentClaimMoves: PaymentClaimMovesTable;
  paymentClaims: PaymentClaimsTable;
  payouts: PayoutsTable;
  rateLimitWindows: RateLimitWindowsTable;
  retiredNames: RetiredNamesTable;
  reviews: ReviewsTable;
  savedSearches: SavedSearchesTable;
  searchWords: SearchWordsTable;
  seenSignatures: SeenSignaturesTable;
  services: ServicesTable;
  sessions: SessionsTable;
  settlements: SettlementsTable;
  spendApprovals: SpendApprovalsTable;
  spendBudgets: SpendBudgetsTable;
  spendPolicies: SpendPoliciesTable;
  spendingSubjects: SpendingSubjectsTable;
  spendings: SpendingsTable;
  spentSignatures: SpentSignaturesTable;
  subjectBuyers: SubjectBuyersTable;
  subjectPeriods: SubjectPeriodsTable;
  swapOrders: SwapOrdersTable;
  tokenPrices: TokenPricesTable;
  treasuryReadings: TreasuryReadingsTable;
  unbookedOutflows: UnbookedOutflowsTable;
  undoneLinks: UndoneLinksTable;
  uploadAttachments: UploadAttachmentsTable;
  uploads: UploadsTable;
  userWallets: UserWalletsTable;
  users: UsersTable;
  venueCalls: VenueCallsTable;
  walletLog: WalletLogTable;
  walletMovements: WalletMovementsTable;
  walletProfiles: WalletProfilesTable;
  walletProofs: WalletProofsTable;
  webhookAttempts: WebhookAttemptsTable;
  webhookDeliveries: WebhookDeliveriesTable;
  webhookLanes: WebhookLanesTable;
  webhookQueue: WebhookQueueTable;
  withdrawAddresses: WithdrawAddressesTable;
  x402Payments: X402PaymentsTable;
  x402Purchases: X402PurchasesTable;
}
