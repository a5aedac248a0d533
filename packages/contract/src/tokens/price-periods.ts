/** The length of each price chart, and the distance of its points: about ninety points each. */
export const pricePeriods = {
  '24h': { hours: 24, stepMinutes: 15 },
  '7d': { hours: 7 * 24, stepMinutes: 120 },
  '30d': { hours: 30 * 24, stepMinutes: 480 },
} as const;
export type PricePeriod = keyof typeof pricePeriods;
export const pricePeriodNames = Object.keys(pricePeriods) as readonly PricePeriod[];
