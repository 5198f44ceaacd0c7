const SIGNIFICANT_DIGITS = 4;
/** Smaller numbers are shown with an exponent, because nobody counts that many zeros. */
const LEAST_PLAIN = 1e-9;

/** Returns the decimals that show the significant digits of a number below 1000. */
const decimalsFor = (value: number): number =>
  Math.min(20, SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(value)));

const decimal = (value: number, least: number, most: number, currency = false): string =>
  new Intl.NumberFormat('en', {
    ...(currency ? { style: 'currency' as const, currency: 'USD' } : {}),
    minimumFractionDigits: least,
    maximumFractionDigits: most,
  }).format(value);

const tiny = (value: number): string => {
  const [digits = '', exponent = ''] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e');
  return `${Number(digits)}e${Number(exponent)}`;
};

const texts = new Map<string, string>();
/** Cached, because `Intl` is slow, and a scrolling table shows the same few thousand numbers repeatedly. */
const remembered = (kind: string, value: number, format: () => string): string => {
  const key = `${kind}${value}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size > 50_000) texts.clear();
  const text = format();
  texts.set(key, text);
  return text;
};

/** Formats USD with two decimals, and as many more as a small amount needs: $2.50, $0.0375. */
export const formatUsd = (value: number): string =>
  remembered('$', value, () => {
    if (value !== 0 && value < LEAST_PLAIN) return `$${tiny(value)}`;
    return decimal(value, 2, value !== 0 && value < 1 ? Math.max(2, decimalsFor(value)) : 4, true);
  });

/** Formats a BTC price in USD: whole dollars from 1,000 on, where cents are noise. */
export const formatBtcUsd = (value: number): string =>
  value >= 1000 ? remembered('B', value, () => decimal(value, 0, 0, true)) : formatUsd(value);

/** Formats sats and fractions of them, with four significant digits: 3,906, 156.3, 0.003906, 1.5e-11. */
export const formatSats = (value: number): string =>
  remembered('s', value, () => {
    if (value === 0) return '0';
    if (value >= 1000) return decimal(value, 0, 0);
    return value < LEAST_PLAIN ? tiny(value) : decimal(value, 0, decimalsFor(value));
  });

const compact = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: SIGNIFICANT_DIGITS,
});

/**
 * Fits a price into `most` characters, for a column. A longer one keeps its magnitude and loses digits ($123.5M,
 * 1.23e-10) instead of its end. `sign` is the prefix of `text`.
 */
export const shorten = (text: string, value: number, most: number, sign: '$' | '' = ''): string => {
  if (text.length <= most) return text;
  if (value >= 1) return `${sign}${compact.format(value)}`;
  const [digits = '', exponent = ''] = value.toExponential(2).split('e');
  return `${sign}${Number(digits)}e${Number(exponent)}`;
};

const percent = new Intl.NumberFormat('en', {
  style: 'percent',
  signDisplay: 'exceptZero',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** Formats a relative change with its sign: +1.4%. */
export const formatShare = (share: number): string => percent.format(share).replace('-', '−');

/** Formats a BTC price change with its sign: +$880, −$12. */
export const formatChange = (usd: number): string =>
  usd === 0 ? '$0' : `${usd > 0 ? '+' : '−'}${formatBtcUsd(Math.abs(usd))}`;
