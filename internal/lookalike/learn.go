package lookalike

import (
	"math"
	"math/rand/v2"
)

// log2 is a table of logarithms, for lengths.
var log2 = func() (table [256]float64) {
	for i := 1; i < len(table); i++ {
		table[i] = math.Log2(float64(i))
	}
	return table
}()

// The settings of the learner, chosen on the data described in docs/detection.md.
const (
	learnAlpha  = 0.3 // the step
	learnBeta   = 1
	learnL1     = 0.3 // drives weights to zero
	learnL2     = 1
	learnPasses = 5 // over the examples
	learnMean   = 3 // of the weights after so many of the last passes; one alone depends on the order of the examples
	learnScale  = 4 // of all features of a name together
)

// set is what the learner reads: the features of examples, one after the other.
type set struct {
	places []uint32
	ends   []int     // of each example in places
	labels []bool    // whether it is malicious
	weight []float32 // how much it counts; 0 leaves it out
}

func (s *set) of(i int) []uint32 {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.places[from:s.ends[i]]
}

// cell is what the learner knows of one weight.
type cell struct{ z, n float32 }

func (c *cell) weight() float32 {
	if c.z >= -learnL1 && c.z <= learnL1 {
		return 0
	}
	z := c.z - learnL1
	if c.z < 0 {
		z = c.z + learnL1
	}
	return -z / ((learnBeta+sqrt(c.n))/learnAlpha + learnL2)
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// learn fits a logistic regression to the examples that use says (FTRL-Proximal, McMahan et al. 2013). Equal input
// gives equal weights.
func learn(s *set, use func(i int) bool) []float32 {
	cells := make([]cell, 1<<width)
	var order []int32
	for i := range s.ends {
		if s.weight[i] > 0 && use(i) {
			order = append(order, int32(i))
		}
	}
	shuffle := rand.New(rand.NewPCG(1, 2))
	var bias cell
	weights := make([]float32, maxFeatures)
	fitted := make([]float32, 1<<width+1)
	for pass := range learnPasses {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			places := s.of(int(i))
			x := learnScale / sqrt(float32(len(places)))
			sum := bias.weight()
			for k, p := range places {
				weights[k] = cells[p].weight()
				sum += weights[k] * x
			}
			g := 1 / (1 + float32(math.Exp(-float64(sum))))
			if s.labels[i] {
				g--
			}
			g *= s.weight[i]
			bias.step(g, bias.weight())
			g *= x
			for k, p := range places {
				cells[p].step(g, weights[k])
			}
		}
		if pass >= learnPasses-learnMean {
			for i := range cells {
				fitted[i] += cells[i].weight() / learnMean
			}
			fitted[1<<width] += bias.weight() / learnMean
		}
	}
	return fitted
}

func (c *cell) step(g, w float32) {
	n := c.n + g*g
	c.z += g - (sqrt(n)-sqrt(c.n))/learnAlpha*w
	c.n = n
}

// margin returns the sum of the weights of a name: above 0 it is rather malicious, in the world that was learnt from.
func margin(weights []float32, places []uint32) float64 {
	sum := float32(0)
	for _, p := range places {
		sum += weights[p]
	}
	return float64(sum)*learnScale/math.Sqrt(float64(len(places))) + float64(weights[1<<width])
}
