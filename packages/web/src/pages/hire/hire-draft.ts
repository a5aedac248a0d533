import type { ReferenceImage } from '../shared/reference-images.tsx';

/** The buyer's draft, kept in this browser until the order is paid. */
export interface HireDraft {
  readonly brief: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly links: string;
  readonly images: readonly ReferenceImage[];
  readonly allowPortfolio: boolean;
  /** The order this draft became. */
  readonly orderId?: string | undefined;
  /** Sent with the order, so that placing it twice by mistake places it once. New whenever the words change. */
  readonly placeKey: string;
  readonly savedAt?: number | undefined;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (serviceId: string): string => `market.hire.${serviceId}`;

export function emptyDraft(placeKey: string): HireDraft {
  return { brief: '', answers: {}, links: '', images: [], allowPortfolio: false, placeKey };
}

export function readDraft(store: Store, serviceId: string, newKey: () => string): HireDraft {
  try {
    const value: unknown = JSON.parse(store.getItem(keyOf(serviceId)) ?? 'null');
    if (value === null || typeof value !== 'object') return emptyDraft(newKey());
    const draft = { ...emptyDraft(newKey()), ...value } as HireDraft;
    const isSound = typeof draft.brief === 'string' && typeof draft.links === 'string' && Array.isArray(draft.images);
    return isSound ? draft : emptyDraft(newKey());
  } catch {
    return emptyDraft(newKey());
  }
}

export function keepDraft(store: Store, serviceId: string, draft: HireDraft): void {
  store.setItem(keyOf(serviceId), JSON.stringify(draft));
}

export function dropDraft(store: Store, serviceId: string): void {
  store.removeItem(keyOf(serviceId));
}

/** One link a line; blank lines do not count. */
export function linksOf({ links }: HireDraft): string[] {
  return links
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Only what was answered goes with the order. */
export function answersOf({ answers }: HireDraft): Record<string, string> {
  return Object.fromEntries(Object.entries(answers).filter(([, value]) => value.trim() !== ''));
}
