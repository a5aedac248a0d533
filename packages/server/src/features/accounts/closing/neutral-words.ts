/** Neutral text that replaces personal text and names after a closing. */
export const REMOVED = 'Removed: this account was closed.';
export const CLOSED_AGENT = 'Closed agent';

/** Keys of free text in events, webhooks and stored requests. Some hold names of people. */
export const FREE_TEXT_KEYS = [
  'about',
  'agent_name',
  'avatar_url',
  'brief',
  'buyer_name',
  'client_name',
  'endpoint_url',
  'provider_name',
  'comment',
  'content',
  'description',
  'evidence_urls',
  'feedback',
  'label',
  'message',
  'name',
  'note',
  'prompt',
  'reason',
  'reference_images',
  'reference_urls',
  'requirement_answers',
  'sender_name',
  'statement',
  'summary',
  'title',
  'username',
] as const;

/** Keys under which other people's events name an agent. */
export const NAME_KEYS = [
  'agent_name',
  'buyer_name',
  'client_name',
  'name',
  'provider_name',
  'sender_name',
  'stopped_agents',
  'titles',
] as const;
