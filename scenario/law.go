package scenario

import (
	"fmt"
	"reflect"

	"stampede/internal/strict"
	"stampede/law"
)

// quantity is a value with a unit that a distribution can be of.
type quantity interface {
	Span | Count | Number
	quantity() float64 // in the base unit: seconds, tokens, 1
	String() string
}

// Law is a distribution of quantities. One value alone is a constant.
type Law[Q quantity] struct {
	Constant    *Q               `yaml:"constant"`
	Uniform     *UniformLaw[Q]   `yaml:"uniform"`
	Exponential *MeanLaw[Q]      `yaml:"exponential"`
	Lognormal   *Lognormal[Q]    `yaml:"lognormal"`
	Gamma       *SpreadLaw[Q]    `yaml:"gamma"`
	Weibull     *Weibull[Q]      `yaml:"weibull"`
	Empirical   []Q              `yaml:"empirical"`
	Mixture     []MixturePart[Q] `yaml:"mixture"`
}

// UniformLaw lies between two values.
type UniformLaw[Q quantity] struct {
	Min Q `yaml:"min"`
	Max Q `yaml:"max"`
}

// MeanLaw has a mean.
type MeanLaw[Q quantity] struct {
	Mean Q `yaml:"mean"`
}

// SpreadLaw has a mean and a coefficient of variation.
type SpreadLaw[Q quantity] struct {
	Mean Q      `yaml:"mean"`
	CV   Number `yaml:"cv"`
}

// Lognormal is given by its median and 95 % quantile, or by mean and cv.
type Lognormal[Q quantity] struct {
	P50  Q      `yaml:"p50"`
	P95  Q      `yaml:"p95"`
	Mean Q      `yaml:"mean"`
	CV   Number `yaml:"cv"`
}

// Weibull is given by shape and scale, or by mean and cv.
type Weibull[Q quantity] struct {
	Shape Number `yaml:"shape"`
	Scale Q      `yaml:"scale"`
	Mean  Q      `yaml:"mean"`
	CV    Number `yaml:"cv"`
}

// MixturePart is one law of a mixture with its weight.
type MixturePart[Q quantity] struct {
	Weight *Number `yaml:"weight"`
	Law    Law[Q]  `yaml:"law"`
}

// OneOf implements strict.OneOf.
func (Law[Q]) OneOf() {}

// UnmarshalNode implements strict.Unmarshaler: one value alone is a constant.
func (l *Law[Q]) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*l = Law[Q]{Constant: new(Q)}
		return d.Into(n, reflect.ValueOf(l.Constant).Elem(), path)
	}
	if err := d.Plain(n, reflect.ValueOf(l).Elem(), path); err != nil {
		return err
	}
	if law, err := l.build(); err != nil {
		return n.Fail(path, "%v", err)
	} else if law == nil {
		return n.Fail(path, "found an empty list; want at least one value")
	}
	return nil
}

// set reports whether a law was given.
func (l Law[Q]) set() bool { return !reflect.ValueOf(l).IsZero() }

// build makes the law, in base units; nil when none was given.
func (l Law[Q]) build() (law.Law, error) {
	switch {
	case l.Constant != nil:
		return law.Constant((*l.Constant).quantity()), nil
	case l.Uniform != nil:
		low, high := l.Uniform.Min.quantity(), l.Uniform.Max.quantity()
		if low > high {
			return nil, fmt.Errorf("min %v is above max %v", l.Uniform.Min, l.Uniform.Max)
		}
		return law.Uniform{Min: low, Max: high}, nil
	case l.Exponential != nil:
		if l.Exponential.Mean.quantity() <= 0 {
			return nil, fmt.Errorf("an exponential distribution needs a mean above 0")
		}
		return law.Exponential{Beta: l.Exponential.Mean.quantity()}, nil
	case l.Lognormal != nil:
		return l.Lognormal.build()
	case l.Gamma != nil:
		if err := spread("gamma", l.Gamma.Mean.quantity(), float64(l.Gamma.CV)); err != nil {
			return nil, err
		}
		return law.GammaFromMean(l.Gamma.Mean.quantity(), float64(l.Gamma.CV)), nil
	case l.Weibull != nil:
		return l.Weibull.build()
	case len(l.Empirical) > 0:
		sample := make([]float64, len(l.Empirical))
		for i, q := range l.Empirical {
			sample[i] = q.quantity()
		}
		return law.NewEmpirical(sample), nil
	case len(l.Mixture) > 0:
		var m law.Mixture
		for _, part := range l.Mixture {
			given, err := part.Law.build()
			if err != nil {
				return nil, err
			}
			if given == nil || part.Weight == nil {
				return nil, fmt.Errorf("each part of a mixture needs a weight and a law")
			}
			if *part.Weight > 0 { // a sweep of a share begins at 0
				m = append(m, law.Part{Weight: float64(*part.Weight), Law: given})
			}
		}
		if len(m) == 0 {
			return nil, fmt.Errorf("all parts of the mixture have weight 0; one needs a weight above 0")
		}
		return m, nil
	}
	return nil, nil
}

func (l Lognormal[Q]) build() (law.Law, error) {
	p50, p95, mean, cv := l.P50.quantity(), l.P95.quantity(), l.Mean.quantity(), float64(l.CV)
	switch {
	case p50 > 0 && p95 >= p50 && mean == 0 && cv == 0:
		return law.LognormalFromQuantiles(p50, p95), nil
	case mean > 0 && cv > 0 && p50 == 0 && p95 == 0:
		return law.LognormalFromMean(mean, cv), nil
	}
	return nil, fmt.Errorf("a lognormal distribution needs p50 and p95, 0 < p50 <= p95, or mean and cv, both above 0")
}

func (w Weibull[Q]) build() (law.Law, error) {
	shape, scale, mean, cv := float64(w.Shape), w.Scale.quantity(), w.Mean.quantity(), float64(w.CV)
	switch {
	case shape > 0 && scale > 0 && mean == 0 && cv == 0:
		return law.Weibull{K: shape, Lambda: scale}, nil
	case shape == 0 && scale == 0 && mean > 0:
		if err := spread("Weibull", mean, cv); err != nil {
			return nil, err
		}
		return law.WeibullFromMean(mean, cv), nil
	}
	return nil, fmt.Errorf("a Weibull distribution needs shape and scale, or mean and cv, both above 0")
}

func spread(name string, mean, cv float64) error {
	if mean <= 0 || cv < 0.05 || cv > 50 {
		return fmt.Errorf("a %s distribution needs a mean above 0 and a cv from 0.05 to 50", name)
	}
	return nil
}
