//! Growth of a time with a size: the power law that fits best.

/// `seconds = factor * size ^ exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The power: 1 where the time grows as the size does.
    pub exponent: f64,
    /// Seconds of a size of one.
    pub factor: f64,
    /// The share of what differs that the law explains, from 0 to 1 (R squared, of logarithms).
    pub explained: f64,
}

impl Growth {
    /// Returns the law through points of a size and a time, by least squares of their logarithms.
    /// Returns `None` for fewer than two sizes.
    pub fn fitted(points: &[[f64; 2]]) -> Option<Self> {
        let logarithms: Vec<(f64, f64)> = points
            .iter()
            .filter(|[size, seconds]| *size > 0.0 && *seconds > 0.0)
            .map(|[size, seconds]| (size.ln(), seconds.ln()))
            .collect();
        let count = logarithms.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| logarithms.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|at| at.0), mean(|at| at.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            logarithms.iter().map(|at| of(at.0 - x, at.1 - y)).sum()
        };
        let (across, along, up) = (sum(&|x, y| x * y), sum(&|x, _| x * x), sum(&|_, y| y * y));
        if logarithms.len() < 2 || along <= f64::EPSILON {
            return None;
        }
        let exponent = across / along;
        let explained = if up > 0.0 { across * across / (along * up) } else { 1.0 };
        Some(Self { exponent, factor: (y - exponent * x).exp(), explained })
    }

    /// Returns the law for sizes beyond the points it was fitted to. A program that reads and
    /// writes everything takes at least twice as long for twice as much. If the points grow less,
    /// they include fixed costs; the law then continues in proportion from the largest point.
    #[must_use]
    pub fn beyond(self, points: &[[f64; 2]]) -> Self {
        let largest = points.iter().max_by(|a, b| a[0].total_cmp(&b[0]));
        match largest {
            Some([size, seconds]) if self.exponent < 1.0 => {
                Self { exponent: 1.0, factor: seconds / size, ..self }
            }
            _ => self,
        }
    }

    /// Returns the number of seconds of this size.
    pub fn seconds(&self, size: f64) -> f64 {
        self.factor * size.powf(self.exponent)
    }

    /// Returns the size that takes `seconds` seconds.
    pub fn size(&self, seconds: f64) -> f64 {
        (seconds / self.factor).powf(1.0 / self.exponent)
    }
}

#[cfg(test)]
mod tests;
