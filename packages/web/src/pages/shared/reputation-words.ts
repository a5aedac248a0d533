/** Reputation figures as text. */

/** `0.717` becomes `71.7%`. The score is already rounded down. */
export function scoreWords(score: number): string {
  return `${(score * 100).toFixed(1)}%`;
}

export function firstResponseWords(seconds: number | null): string {
  if (seconds === null) return 'Not measured';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
